import type { Answer } from '../proof/answer.ts';
import { concat, equalBytes, textOf } from '../proof/bytes.ts';
import { type Checkpoint, readCheckpoint } from '../proof/checkpoint.ts';
import { appendLeaves, emptyLog, type LogNode, type LogState, logRoot } from '../proof/log-tree.ts';
import { leafHash } from '../proof/merkle.ts';
import { isSignedBy, readVkey } from '../proof/note.ts';
import { PAGE, type Problems, paged } from '../store/audit-pages.ts';
import type { Store } from '../store/store.ts';
import type { Row } from '../store/table.ts';
import type { AnswerTrust } from './answer-audit.ts';
import { auditEnvelope } from './envelope-audit.ts';
import { tileOf } from './log-tiles.ts';
import { envelopes, jobs, logHeads, logNotes, logTiles } from './records.ts';

interface Leaf {
  readonly leaf_index: bigint;
  readonly bytes: Uint8Array;
  readonly row?: Row<typeof envelopes>;
}

/** One log, leaf by leaf, up to its head. */
export class LogAudit {
  readonly #store: Store;
  readonly #node: string;
  readonly #size: number;
  readonly #checkpoint: string;
  readonly #problems: Problems;
  readonly #trust: AnswerTrust;
  readonly #tiles: TileAudit;
  /** Heads that answers were given under and that the leaves have not come to yet, by size: root and coins. */
  readonly #shown = new Map<number, { root: Uint8Array; coin: string }[]>();
  #state: LogState = emptyLog;
  #counts = { envelopes: 0, notes: 0 };

  constructor(
    store: Store,
    { node, size, checkpoint }: { node: string; size: bigint; checkpoint: string },
    problems: Problems,
    trust: AnswerTrust,
  ) {
    this.#trust = trust;
    this.#store = store;
    this.#node = node;
    this.#size = Number(size);
    this.#checkpoint = checkpoint;
    this.#problems = problems;
    this.#tiles = new TileAudit(store, node, (problem) => this.#say(problem));
  }

  #say(problem: string): void {
    this.#problems.add(`${this.#node}: ${problem}`);
  }

  async run(): Promise<void> {
    let expected = 0;
    for await (const leaf of this.#leaves()) {
      if (leaf.leaf_index !== BigInt(expected))
        this.#say(`leaf ${expected} is missing, ${leaf.leaf_index} stands there`);
      expected++;
      if (leaf.row) await this.#envelope(leaf.row);
      await this.#append(leaf.bytes);
    }
    const { envelopes: sealed, notes } = this.#counts;
    if (expected !== this.#size)
      this.#say(`${sealed} envelopes and ${notes} notes, but ${this.#size} leaves`);
    for (const [size, shown] of this.#shown)
      for (const { coin } of shown) this.#say(`envelope ${coin} was given under a head of ${size} leaves`);
    await this.#problems.within(`${this.#node}: the head`, async () => this.#signed());
    await this.#tiles.end(await this.#hasGrown());
  }

  /** Whether leaves came meanwhile; behind the head there is nothing. */
  async #hasGrown(): Promise<boolean> {
    const node = this.#node;
    return this.#store.transaction(async (tx) => {
      const size = (await tx.get(logHeads, { node }))?.size ?? 0n;
      const where = { node, leaf_index: { gte: size } };
      const behind = (await tx.count(envelopes, where)) + (await tx.count(logNotes, where));
      if (behind > 0) this.#say(`${behind} envelopes and notes behind the head of ${size} leaves`);
      return size !== BigInt(this.#size);
    });
  }

  #signed(): void {
    const signed = readCheckpoint(this.#checkpoint);
    if (signed.size !== this.#size) this.#say(`the head has ${this.#size} leaves, ${signed.size} are signed`);
    if (!equalBytes(logRoot(this.#state), signed.root)) this.#say('the leaves do not give the signed root');
    const key = this.#trust.vkeys.map(readVkey).find(({ name }) => name === this.#node);
    if (key && !isSignedBy(signed.note, key)) this.#say(`the head is not signed by ${this.#node}`);
  }

  async #append(bytes: Uint8Array): Promise<void> {
    const { state, root, nodes } = appendLeaves(this.#state, [leafHash(bytes)]);
    this.#state = state;
    for (const node of nodes) await this.#tiles.add(node);
    for (const shown of this.#shown.get(state.size) ?? [])
      if (!equalBytes(shown.root, root))
        this.#say(
          `the log has forked: envelope ${shown.coin} was given under another head of ${state.size} leaves`,
        );
    this.#shown.delete(state.size);
  }

  async #envelope(row: Row<typeof envelopes>): Promise<void> {
    const job = await this.#store.get(jobs, { id: row.job });
    const name = `envelope ${row.token_id} of job ${row.job}`;
    await this.#problems.within(name, async () => {
      for (const fault of await auditEnvelope(this.#store, row, job, this.#trust))
        this.#problems.add(`${name}: ${fault}`);
    });
    const log = job?.answer ? logOf(job.answer) : undefined;
    if (log === undefined) return;
    const { index, head } = log;
    if (BigInt(index) !== row.leaf_index)
      this.#say(`envelope ${row.token_id} is leaf ${row.leaf_index}, its answer says ${index}`);
    const { root, size } = head;
    this.#shown.set(size, [...(this.#shown.get(size) ?? []), { root, coin: row.token_id }]);
  }

  /** Envelopes and notes below the head, merged in their order. */
  async *#leaves(): AsyncGenerator<Leaf> {
    const notes = this.#notes();
    let note = await notes.next();
    for await (const row of this.#envelopes()) {
      for (; !note.done && note.value.leaf_index < row.leaf_index; note = await notes.next())
        yield note.value;
      yield { leaf_index: row.leaf_index, bytes: row.envelope, row };
    }
    for (; !note.done; note = await notes.next()) yield note.value;
  }

  async *#envelopes(): AsyncGenerator<Row<typeof envelopes>> {
    for await (const row of paged<Row<typeof envelopes>>((from) =>
      this.#store.find(envelopes, this.#after(from)),
    )) {
      this.#counts.envelopes++;
      yield row;
    }
  }

  async *#notes(): AsyncGenerator<Leaf> {
    for await (const row of paged<Row<typeof logNotes>>((from) =>
      this.#store.find(logNotes, this.#after(from)),
    )) {
      this.#counts.notes++;
      yield row;
    }
  }

  /** Of this log; what is appended meanwhile is not looked at. */
  #after(last: { leaf_index: bigint } | undefined) {
    const gt = last?.leaf_index ?? -1n;
    const where = { node: this.#node, leaf_index: { gt, lt: BigInt(this.#size) } };
    return { where, orderBy: { leaf_index: 'asc' }, limit: PAGE } as const;
  }
}

/** Place in the log, and signed head, that an answer was given with. */
function logOf(answer: Uint8Array): { index: number; head: Checkpoint } | undefined {
  try {
    const { index, checkpoint } = (JSON.parse(textOf(answer)) as Answer).receipt.log;
    return { index, head: readCheckpoint(checkpoint) };
  } catch {
    return undefined; // an answer without a seal
  }
}

/** The tiles are what the leaves give, each of them: without them no leaf is proved and none is added. */
class TileAudit {
  readonly #store: Store;
  readonly #node: string;
  readonly #say: (problem: string) => void;
  /** The last tile of each level, as far as the leaves have come. */
  readonly #open = new Map<number, { tile: number; hashes: Uint8Array[] }>();
  #tiles = 0;

  constructor(store: Store, node: string, say: (problem: string) => void) {
    this.#store = store;
    this.#node = node;
    this.#say = say;
  }

  async add({ level, index, hash }: LogNode): Promise<void> {
    const place = tileOf(level, index);
    if (place === undefined) return;
    let open = this.#open.get(level);
    if (open?.tile !== place.tile) {
      if (open) await this.#compare(level, open);
      open = { tile: place.tile, hashes: [] };
      this.#open.set(level, open);
    }
    open.hashes.push(hash);
  }

  /** @param hasGrown whether leaves came meanwhile, which are in the last tiles and the next */
  async end(hasGrown: boolean): Promise<void> {
    for (const [level, open] of this.#open) await this.#compare(level, open, hasGrown);
    const where = { node: this.#node };
    if (hasGrown) return;
    if ((await this.#store.count(logTiles, where)) === this.#tiles) return;
    for await (const { level, tile } of paged<Row<typeof logTiles>>((after) =>
      this.#store.find(logTiles, { where, limit: PAGE, ...(after ? { after } : {}) }),
    ))
      if (tile > BigInt(this.#open.get(Number(level))?.tile ?? -1))
        this.#say(`tile ${level}/${tile} of the log covers no leaf`);
  }

  async #compare(
    level: number,
    { tile, hashes }: { tile: number; hashes: Uint8Array[] },
    isOpen = false,
  ): Promise<void> {
    const name = `tile ${level}/${tile} of the log`;
    const key = { node: this.#node, level: BigInt(level), tile: BigInt(tile) };
    const found = (await this.#store.get(logTiles, key))?.hashes;
    if (found === undefined) return this.#say(`${name} is missing`);
    this.#tiles++;
    const expected = concat(hashes);
    if (!equalBytes(isOpen ? found.subarray(0, expected.length) : found, expected))
      this.#say(`${name} is not that of the leaves`);
  }
}
