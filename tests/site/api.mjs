// The JavaScript face of a game, with the 3×3 board: node --test api.mjs, and GAME in the environment.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const file = pathToFileURL(process.env.GAME);
const { about, default: open } = await import(file);
const game = await open();

test("a module tells what its game is like", () => {
  assert.equal(about.game, "mnk_v0");
  assert.deepEqual([about.seats, about.actions, about.options.m], [2, 9, 3]);
  assert.deepEqual(about.players, ["random", "easy", "hard"]);
});

test("a game is dealt, played and paid", () => {
  const table = game.deal(7, 0);
  assert.deepEqual([table.turn, table.ply, table.over, table.starter], [0, 0, false, 0]);
  assert.deepEqual(table.payoffs, [0, 0]);
  assert.equal(table.legal().length, 9);
  for (const action of [0, 3, 1, 8, 2]) table.play(action);
  while (!table.over) table.play(table.legal()[0]);
  assert.equal(table.turn, -1);
  assert.deepEqual(table.payoffs.map(Math.abs), [1, 1]);
  assert.deepEqual(table.legal(), []);
  assert.throws(() => table.play(0), /action 0 is not legal here/);
});

test("the parts of a view are named", () => {
  const table = game.deal(1, 0).play(4);
  const parts = game.parts(table.view(0));
  assert.deepEqual(Object.keys(parts), Object.keys(about.view.parts));
  assert.equal(parts.mine[4], 1);
  assert.equal(game.parts(table.view(1)).mine[4], 0);
});

test("arrays are used again if they are given", () => {
  const table = game.deal(1, 0).play(4);
  const mask = new Int8Array(about.actions), view = table.view(1).fill(77);
  assert.equal(table.mask(mask), mask);
  assert.deepEqual(mask, table.mask());
  assert.equal(table.view(0, view), view);
  assert.deepEqual(view, table.view(0));
  table.play(0);
  assert.equal(mask[0], 1, "it is the caller's");
  assert.equal(table.mask(mask)[0], 0);
  assert.throws(() => table.mask(new Int8Array(3)), /an Int8Array of 9/);
  assert.throws(() => table.view(0, []), /the array to fill is an/);
});

test("tables do not disturb each other", () => {
  const one = game.deal(1, 0), other = game.deal(2, 0);
  one.play(4);
  const copied = one.copy();
  copied.play(0);
  assert.deepEqual([one.ply, other.ply, copied.ply], [1, 0, 2]);
  assert.equal(one.mask()[0], 1);
  assert.equal(other.mask()[4], 1);
  const world = game.imagine(one.view(1), 3);
  assert.equal(world.ply, 1);
  assert.equal(one.ply, 1);
});

test("what is handed out is the caller's own", () => {
  const table = game.deal(1, 0);
  table.mask().fill(0);
  table.view().fill(1);
  table.scene().fill(9);
  assert.equal(table.legal().length, 9);
  assert.equal(game.parts(table.view()).mine[0], 0);
});

test("players repeat themselves with the same seed", () => {
  const moves = (seed) => {
    const player = game.player("random", seed), table = game.deal(5);
    while (!table.over) table.play(player.move(table));
    return game.parts(table.view(0)).mine.join("");
  };
  assert.equal(moves(3), moves(3));
  assert.ok(new Set([1, 2, 3, 4, 5].map(moves)).size > 1);
});

test("a policy is loaded when it is asked for, and leaves the table as it was", async () => {
  const fresh = await open();
  const table = fresh.deal(3, 0).play(4);
  const before = [...table.view()];
  assert.deepEqual(about.policies.map(({ name }) => name), ["mine"]);
  await assert.rejects(fresh.policy("mine", new Uint8Array(7)), /the numbers of mine have 7 bytes, not \d+/);
  await assert.rejects(fresh.policy("yours"), /yours is no policy of mnk_v0 here: it has mine/);
  const policy = await fresh.policy();
  assert.equal(await fresh.policy("mine"), policy);
  assert.deepEqual([...table.view()], before);
  assert.equal(policy.move(table), policy.act(table.view(), table.mask()));
  assert.ok(table.legal().includes(policy.move(table)));
  assert.throws(() => policy.act(table.view(), new Int8Array(9)), /nothing is legal/);
  const { open: plainly } = await import(new URL("./kozyr.js", file));
  const none = await plainly(new URL("./small.wasm", file), { ...about, policies: [] });
  await assert.rejects(none.policy(), /there is no policy for mnk_v0 with these options/);
});

test("a search is there only if it was asked for", async () => {
  assert.equal(about.search, null);
  await assert.rejects(game.search(), /there is no search of mnk_v0 here: write it with kozyr wasm --search/);
});

test("a drawing has rows, and an action says which of them it uses", () => {
  const table = game.deal(1, 0);
  const rows = table.scene(0);
  assert.equal(rows.length % about.scene.columns, 0);
  assert.ok(rows.length > 9 * about.scene.columns);
  assert.equal(table.elements(4).length, about.scene.choice);
});

test("a module is opened from bytes, a URL or what was compiled before", async () => {
  const bytes = await readFile(new URL("./small.wasm", file));
  const compiled = await WebAssembly.compile(bytes);
  for (const source of [bytes, bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), new URL("./small.wasm", file), compiled]) {
    assert.equal((await open(source)).deal(1).legal().length, 9);
  }
});

test("seeds are whole numbers up to 2**63 − 1", () => {
  assert.equal(game.deal(2n ** 63n - 1n).ply, 0);
  assert.equal(game.deal().ply, 0);
  for (const seed of [-1, 2n ** 63n, 0.5, null, "", "x", "0x1", "1.0", true]) assert.throws(() => game.deal(seed), RangeError);
});

test("seeds are kept to the last digit, and 0 is one", () => {
  const moves = (seed) => {
    const player = game.player("random", seed), table = game.deal(1, 0);
    while (!table.over) table.play(player.move(table));
    return [...table.view(0), ...table.copy().mask()].join("");
  };
  const large = 2n ** 53n;
  assert.equal(moves(0), moves("0"));
  assert.equal(moves(large + 1n), moves(String(large + 1n)));
  assert.ok(new Set([0n, 1n, 2n, 3n].map((k) => moves(large + k))).size > 1);
  assert.equal(moves(Number.MAX_SAFE_INTEGER), moves(large - 1n));
  assert.throws(() => game.deal(2 ** 53), /rounded: write the seed as a BigInt or as a string/);
});

test("what cannot be is refused in words", async () => {
  const table = game.deal(1, 0);
  const refused = [
    [() => table.play(9), /an action must be a whole number from 0 to 8, not 9/],
    [() => table.play("4"), /an action must be a whole number/],
    [() => table.view(2), /seat must be a whole number from 0 to 1/],
    [() => game.deal(1, 2), /starter must be a whole number from -1 to 1/],
    [() => game.player("best"), /best is no player of mnk_v0: it has random, easy, hard/],
    [() => game.parts(new Int8Array(3)), /a view of mnk_v0 has \d+ numbers, not 3/],
    [() => game.player("easy").act(table.view(), new Int8Array(9)), /nothing is legal/],
    [() => game.player("easy").act(table.view(), new Int8Array(8).fill(1)), /a mask of mnk_v0 has 9 numbers, not 8/],
  ];
  for (const [call, words] of refused) assert.throws(call, words);
  const { open: plainly } = await import(new URL("./kozyr.js", file));
  await assert.rejects(plainly(new Uint8Array(8), { ...about, format: 99 }), /format/);
});
