// The viewer of recorded games. `html.py` puts it behind words.js, pieces.js, layout.js, scene.js and replayed.js, of which it uses
// `cards`, `draw`, `changed`, X and `rules`.
(async () => {
  const PACE = 900; // ms a ply
  const FEW = 5; // differences that are marked
  const $ = (id) => document.getElementById(id);

  function unpacked(text) {
    const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate")));
  }

  const { games, symbols, modules } = await unpacked($("data").textContent).json();
  const codes = [...document.querySelectorAll(".module")].map((one) => unpacked(one.textContent).arrayBuffer());
  const replayed = await Promise.all(modules.map(async (sizes, i) => rules(await codes[i], sizes)));
  $("faces").innerHTML = symbols;
  let game, view, frames, drawn = null, ply = 0, timer = null, marked = new Set();

  // The scenes of a viewpoint: by the game's rules, or with the differences undone.
  function scenes({ seat, scenes: told }) {
    let rows = [];
    if (game.module !== null) return replayed[game.module](game.seed, game.starter, game.actions, seat ?? -1);
    return told.map(([count, places, whats, wheres]) => {
      const differs = places.map((place, i) => {
        const what = game.what[whats[i]];
        return [place, ...what.slice(0, X), ...game.where[wheres[i]], ...what.slice(X)];
      });
      return (rows = changed(rows, { from: 1, count, rows: differs }));
    });
  }

  // The picture.

  const stage = $("stage");

  function show(still) {
    const rows = frames[ply];
    if (rows.length) draw(stage, drawn, rows, game.labels, game.names, { still });
    $("whole").open ||= !rows.length; // a game without drawings is read
    drawn = rows.length ? rows : null;
  }

  // The words.

  const called = (seat) => (game.numbered ? `${game.names[seat]} (${seat + 1})` : game.names[seat]);
  const said = (number) => (number ? cards(view.words[number].join(". ")) : "The deal");

  function moves() {
    const gaps = Object.entries(view.opinions).filter(([, one]) => one.gap > 0).sort((a, b) => b[1].gap - a[1].gap);
    marked = new Set(gaps.slice(0, FEW).map(([number]) => Number(number) + 1));
    $("moves").replaceChildren(...view.words.map((_, number) => {
      const button = document.createElement("button");
      button.textContent = number ? `${number}. ${said(number)}` : said(0);
      button.addEventListener("click", () => go(number));
      if (marked.has(number)) button.className = "gap";
      if (marked.has(number)) button.title = "The analyst would have done something else";
      const item = document.createElement("li");
      item.append(button);
      return item;
    }));
    $("marks").replaceChildren(...[...marked].map((number) => new Option("", number)));
  }

  // What the analyst would do now; at a marked move also what it would have done instead.
  function opinion() {
    const asked = [ply - 1, ply].filter((number) => view.opinions[number] && (number === ply || marked.has(ply)));
    $("opinion").hidden = !asked.length;
    $("opinion").replaceChildren(...asked.flatMap(told));
  }

  function told(number) {
    const one = view.opinions[number];
    const table = document.createElement("table");
    for (const [action, value, low, high, played] of one.rows) {
      const words = cards(action);
      const row = table.insertRow();
      row.className = played ? "played" : "";
      row.insertCell().textContent = played ? `${words} (played)` : words;
      const bar = document.createElement("meter");
      bar.min = one.kind === "values" ? -1 : 0;
      bar.max = 1;
      bar.value = value;
      bar.setAttribute("aria-label", words);
      row.insertCell().append(bar);
      const half = low === null ? "" : ` ± ${((high - low) / 2).toFixed(2)}`;
      row.insertCell().textContent = one.kind === "values" ? value.toFixed(2) + half : `${(100 * value).toFixed(0)} %`;
    }
    const head = document.createElement("p");
    head.textContent = `${number < ply ? "Instead" : "Next"}: ${one.agent}, asked for ${called(one.seat)}`;
    return [head, table];
  }

  // What is shown.

  function go(number, still = false) {
    const from = ply;
    ply = Math.max(0, Math.min(number, game.plies));
    show(still || Math.abs(ply - from) !== 1);
    $("now").textContent = said(ply);
    $("count").textContent = `${ply} of ${game.plies}`;
    $("ply").value = ply;
    $("ply").setAttribute("aria-valuetext", `${ply} of ${game.plies}: ${said(ply)}`);
    $("text").textContent = view.texts[ply];
    const list = $("moves");
    list.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const current = list.children[ply].firstChild;
    current.setAttribute("aria-current", "true");
    if (current.offsetTop < list.scrollTop || current.offsetTop + current.offsetHeight > list.scrollTop + list.clientHeight) {
      list.scrollTop = current.offsetTop - list.clientHeight / 2;
    }
    opinion();
    if (ply === game.plies) pause();
    try {
      history.replaceState(null, "", `#ply=${ply}`);
    } catch {
      // a page inside of another has no address
    }
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    $("play").textContent = "▶";
    $("play").setAttribute("aria-label", "Play");
  }

  function play() {
    if (timer !== null) return pause();
    if (ply === game.plies) go(0);
    timer = setInterval(() => go(ply + 1), PACE);
    $("play").textContent = "❚❚";
    $("play").setAttribute("aria-label", "Pause");
  }

  function look(number) {
    if (number < 0 || number >= game.views.length) return;
    view = game.views[number];
    frames = scenes(view);
    $("view").value = number;
    drawn = null;
    moves();
    go(ply, true);
  }

  function choose(number) {
    pause();
    game = games[number];
    $("ply").max = game.plies;
    const shows = (one) => (one.seat === null ? "everything" : `what ${called(one.seat)} knew`);
    $("view").replaceChildren(...game.views.map((one, i) => new Option(shows(one), i)));
    $("results").textContent = game.results.map((result, i) => `${called(i)} ${result}`).join(", ");
    $("about").textContent = `${game.game}, ${game.options}${game.seed === null ? "" : `, seed ${game.seed}`}`;
    look(0);
  }

  function start() {
    $("games").hidden = games.length < 2;
    $("game").replaceChildren(...games.map((one, i) => new Option(`${i + 1}: ${one.names.join(", ")}`, i)));
    const asked = /#ply=(\d+)/.exec(location.hash);
    ply = asked ? Number(asked[1]) : 0;
    choose(0);
    $("game").addEventListener("change", (event) => { ply = 0; choose(Number(event.target.value)); });
    $("view").addEventListener("change", (event) => look(Number(event.target.value)));
    $("ply").addEventListener("input", (event) => { pause(); go(Number(event.target.value)); });
    const buttons = { first: () => go(0), back: () => { pause(); go(ply - 1); }, play, on: () => { pause(); go(ply + 1); }, last: () => go(game.plies) };
    for (const [id, press] of Object.entries(buttons)) $(id).addEventListener("click", press);
    addEventListener("hashchange", () => { const to = /#ply=(\d+)/.exec(location.hash); if (to) go(Number(to[1])); });
    addEventListener("resize", () => show(true));
    addEventListener("keydown", (event) => pressed(event, buttons));
  }

  function pressed(event, buttons) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const keys = { ArrowLeft: buttons.back, ArrowRight: buttons.on, Home: buttons.first, End: buttons.last };
    if (event.key === " " && !["BUTTON", "SUMMARY"].includes(event.target.tagName)) keys[" "] = play;
    const press = keys[event.key] ?? (/^\d$/.test(event.key) ? () => seat(Number(event.key)) : null);
    if (!press) return;
    event.preventDefault();
    press();
  }

  function seat(number) {
    const wanted = number === 0 ? null : number - 1;
    look(game.views.findIndex((one) => one.seat === wanted));
  }

  start();
})();
