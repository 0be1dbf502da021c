// An engine is what a page plays with: `on(hear)` says who listens, `send(message)` talks to it. This one is a server
// at the other end of a WebSocket, which it finds again when it is lost.

import { gettext, noop } from "./language.js";

const FINAL = {
  4400: noop("The server did not understand this page. Load it again."),
  4403: noop("This link does not open this table."),
  4404: noop("There is no such table."),
  4409: noop("This seat is open in another window. Load this page again to sit here."),
  4429: noop("Too many messages. Load the page again."),
};
const LONGEST = 10_000;

export class ServerEngine {
  constructor(table, token) {
    this.table = table;
    this.token = token;
    this.wait = 250;
    this.hear = () => {};
  }

  on(hear) {
    this.hear = hear;
    this.connect();
  }

  connect() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new WebSocket(`${scheme}//${location.host}/tables/${encodeURIComponent(this.table)}/ws`);
    this.socket.addEventListener("open", () => {
      this.wait = 250;
      this.send({ t: "sit", token: this.token, ply: 0 });
    });
    this.socket.addEventListener("message", (event) => this.hear(JSON.parse(event.data)));
    this.socket.addEventListener("close", (event) => this.lost(event.code));
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  lost(code) {
    if (FINAL[code]) {
      this.hear({ t: "lost", why: gettext(FINAL[code]), final: true });
      return;
    }
    this.hear({ t: "lost", why: gettext("The connection is lost. Trying again …"), final: false });
    setTimeout(() => this.connect(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST);
  }
}
