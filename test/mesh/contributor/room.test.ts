import t from 'tap';
import { Room } from '../../../mesh/contributor/room.ts';

const never = new AbortController().signal;

/** Waits, and says so once it has what it waited for. */
function waiting(room: Room, seated: string[]) {
  return (name: string, bytes: number, signal = never, fence = 1) =>
    room.wait(bytes, { run: name.split(' ')[0]!, fence }, signal).then(
      () => void seated.push(name),
      (reason) => void seated.push(`${name}: ${reason.message}`),
    );
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

t.test('checks wait for memory in their order, and no run takes what they wait for', async (t) => {
  const room = new Room(10);
  const seated: string[] = [];
  const wait = waiting(room, seated);
  room.take(4);
  t.equal(room.free, 6);
  void wait('large', 8);
  void wait('small', 1);
  await turn();
  t.same(seated, [], 'the small one does not overtake the large one');
  t.equal(room.free, 0, 'and a new run does neither');
  room.give(4);
  await turn();
  t.same(seated, ['large', 'small']);
  t.equal(room.free, 1);
});

t.test('who gives up makes room for those behind', async (t) => {
  const room = new Room(10);
  const seated: string[] = [];
  const wait = waiting(room, seated);
  const stop = new AbortController();
  room.take(4);
  void wait('large', 8, stop.signal);
  void wait('small', 6);
  stop.abort(new Error('stopped'));
  await turn();
  t.same(seated.sort(), ['large: stopped', 'small']);
  t.equal(room.free, 0);
  await t.rejects(room.wait(1, { run: 'run', fence: 1 }, stop.signal), { message: 'stopped' });
  room.give(4);
  t.equal(room.free, 4);
});

t.test('of the checks of one run the one that was asked for first is first', async (t) => {
  const room = new Room(1);
  const seated: string[] = [];
  const wait = waiting(room, seated);
  room.take(1);
  void wait('one 5', 1, never, 5);
  void wait('two 1', 1, never, 1);
  void wait('one 4', 1, never, 4);
  for (const _ of [1, 2, 3]) {
    room.give(1);
    await turn();
  }
  t.same(seated, ['one 4', 'one 5', 'two 1'], 'and its run waits longest');
});
