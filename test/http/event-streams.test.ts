import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import t from 'tap';
import { NewestState } from '../../src/http/event-streams.ts';

/** A connection that takes one write and is full until it is drained. */
class SlowReader extends EventEmitter {
  writableNeedDrain = false;
  destroyed = false;
  readonly taken: unknown[] = [];
  readonly reply = {
    raw: this,
    sse: {
      isConnected: true,
      send: async ({ data }: { data: unknown }) => {
        this.taken.push(data);
        this.writableNeedDrain = true;
      },
    },
  } as unknown as FastifyReply;

  drain(): void {
    this.writableNeedDrain = false;
    this.emit('drain');
  }

  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

t.test('a reader that does not keep up gets the newest state, and nothing is heaped up for it', async (t) => {
  const reader = new SlowReader();
  const states = new NewestState<number>(reader.reply, 'progress');
  for (let i = 0; i < 100_000; i++) states.show(i);
  t.same(reader.taken, [0]);
  reader.drain();
  t.same(reader.taken, [0, 99_999]);
  reader.drain();
  states.show(7);
  t.same(reader.taken, [0, 99_999, 7]);
  reader.destroy();
});

t.test('a reader that takes nothing for a while is cut off; one that takes something is not', async (t) => {
  const open = () => {
    const reader = new SlowReader();
    const states = new NewestState<number>(reader.reply, 'progress');
    for (const state of [1, 2]) states.show(state);
    states.cutIfStalled();
    return { reader, states };
  };
  const [dead, slow] = [open(), open()];
  slow.reader.drain();
  for (const { states } of [dead, slow]) states.cutIfStalled();
  t.equal(dead.reader.destroyed, true);
  t.equal(slow.reader.destroyed, false);
  slow.states.cutIfStalled();
  t.equal(slow.reader.destroyed, true, 'it took one more and then nothing');
});
