/** What a game is like; each game's own file has it as `about`. */
export interface About {
  readonly format: number;
  readonly kozyr: string;
  /** Name and version, as "durak_v0". */
  readonly game: string;
  readonly title: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly seats: number;
  readonly actions: number;
  /** `parts`: first place, last place + 1 and highest value of each. */
  readonly view: { readonly size: number; readonly bytes: 1 | 2 | 4; readonly parts: Readonly<Record<string, readonly [number, number, number]>> };
  readonly state: Readonly<Record<string, number>>;
  readonly scene: { readonly rows: number; readonly columns: number; readonly choice: number };
  /** Letters of the cards' ranks, weakest first; empty where the order of a seat's cards means something. */
  readonly ranks: string;
  /** Scripted players, weakest first. */
  readonly players: readonly string[];
  /** Words of the drawings by their numbers, and what each action is called. */
  readonly labels: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  /** What the other seats hear of an action, where that is something else. */
  readonly heard: Readonly<Record<string, string>>;
  /** Of actions in `words`, and in `heard`, that can be translated: a text, and what its places are filled with. */
  readonly phrases: Readonly<Record<string, readonly (string | number)[]>>;
  readonly heardPhrases: Readonly<Record<string, readonly (string | number)[]>>;
  /** The trained policies, the file of each and how many bytes that has; a condensed one also has `arrays`, another one how many numbers of a view it `reads`. */
  readonly policies: readonly { readonly name: string; readonly file: string; readonly bytes: number; readonly arrays?: readonly (readonly [string, string, number])[]; readonly reads?: number }[];
  /** The search player, the file of its module, and how many worlds it imagines unless told; null if there is none. */
  readonly search: { readonly name: string; readonly file: string; readonly worlds: number; readonly z: number; readonly room: readonly number[] } | null;
}

/** A compiled module, where the types of the host have a name for it. */
export type Module = typeof globalThis extends { WebAssembly: { Module: { prototype: infer One } } } ? One : object;
/** A file: its URL, what was fetched, or its bytes. */
export type File = string | { readonly href: string } | { arrayBuffer(): Promise<ArrayBuffer> } | ArrayBuffer | ArrayBufferView;
export type Source = File | Module;
export type View = Int8Array | Int16Array | Int32Array;
/** A whole number from 0 to 2**63 − 1; from 2**53 on as a bigint or as a string of digits, for a number would be rounded. */
export type Seed = number | bigint | string;
/** URLs of the files that belong to a game, by their names. */
export type Files = Readonly<Record<string, () => File>>;

/** Open a game; `files` may also be the URL of a file beside the others. */
export declare function open(source: Source, about: About, files?: Files | string | { readonly href: string }): Promise<Game>;

export declare class Game {
  readonly about: About;
  /** Deal a game; the same seed deals the same game everywhere. */
  deal(seed?: Seed, starter?: number): Table;
  /** Return a table that fits what a seat sees; the owner of the view is seat 0 there. */
  imagine(view: View, seed?: Seed): Table;
  player(name: string, seed?: Seed): Player;
  /** Load a trained policy, the first one unless it is named; its file is fetched at the first call. */
  policy(name?: string, source?: File): Promise<Policy | Network>;
  /** Load the search; its module is fetched at the first call. */
  search(worlds?: number, source?: File): Promise<Search>;
  /** Return a view by its parts: typed arrays over the same numbers. */
  parts(view: View): Record<string, View>;
}

export declare class Table {
  readonly game: Game;
  /** The seat to move, from 0; −1 once the game is over. */
  readonly turn: number;
  readonly over: boolean;
  readonly ply: number;
  readonly truncated: boolean;
  readonly starter: number;
  /** A payoff for each seat; zeros until the game is over. */
  readonly payoffs: number[];
  mask(into?: Int8Array): Int8Array;
  legal(): number[];
  /** What a seat knows; the seat to move unless one is given. */
  view(seat?: number, into?: View): View;
  /** Play a legal action; any other is a RangeError. */
  play(action: number): this;
  /** Rows of the drawing that a seat sees; −1 sees everything, −2 what everybody knows. */
  scene(seat?: number): Int32Array;
  elements(action: number): Int32Array;
  copy(): Table;
}

export declare class Player {
  readonly game: Game;
  readonly name: string;
  /** Return the action for a view and a mask of legal actions. */
  act(view: View, mask: Int8Array): number;
  /** Return the action for the seat to move. */
  move(table: Table): number;
}

/** A condensed policy, which plays the legal action that its network rates highest. */
export declare class Policy {
  readonly game: Game;
  readonly name: string;
  act(view: View, mask: Int8Array): number;
  move(table: Table): number;
}

/** A trained policy from an ONNX file, which plays so too. */
export declare class Network {
  readonly game: Game;
  readonly name: string;
  /** Return what the network says of each action. */
  logits(view: View): Float32Array;
  act(view: View, mask: Int8Array): number;
  move(table: Table): number;
}

/** A search player: the strongest scripted player's action, unless another one is clearly better in imagined worlds. */
export declare class Search {
  readonly game: Game;
  readonly name: string;
  readonly worlds: number;
  /** Return an action after some milliseconds; the same seed finds the same. */
  act(view: View, mask: Int8Array, seed?: Seed): number;
  move(table: Table, seed?: Seed): number;
}
