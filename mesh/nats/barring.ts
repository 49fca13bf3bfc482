import { setTimeout as sleep } from 'node:timers/promises';
import { textOf, utf8 } from '../../src/proof/bytes.ts';
import { Bus, type BusOptions } from './bus.ts';
import { MESH_ACCOUNT } from './server-config.ts';

interface Connections {
  readonly data?: {
    readonly server_id?: string;
    readonly connections?: readonly { readonly cid: number; readonly authorized_user?: string }[];
  };
}

/** Servers of a cluster that answer later than this are asked when the grant of the node runs out. */
const GATHER_MS = 500;

/**
 * Ends the connections of a node, on every server: it comes back, is asked for at the service, and stays outside if it
 * is no longer admitted. @param system connects the user of the system account
 * @returns how many were ended
 */
export async function endConnections(system: BusOptions, node: string): Promise<number> {
  const bus = await Bus.connect(system);
  try {
    const found = (await connectionsOf(bus, node)).flatMap(({ data }) =>
      (data?.connections ?? [])
        .filter(({ authorized_user }) => authorized_user === node)
        .map(({ cid }) => ({ server: data?.server_id, cid })),
    );
    for (const { server, cid } of found)
      await bus.request(`$SYS.REQ.SERVER.${server}.KICK`, utf8(JSON.stringify({ cid })));
    return found.length;
  } finally {
    await bus.close();
  }
}

async function connectionsOf(bus: Bus, node: string): Promise<Connections[]> {
  const inbox = bus.inbox();
  const answers: Connections[] = [];
  const stop = bus.subscribe(inbox, ({ data }) => answers.push(JSON.parse(textOf(data)) as Connections));
  const asked = utf8(JSON.stringify({ auth: true, acc: MESH_ACCOUNT, user: node }));
  bus.publish('$SYS.REQ.SERVER.PING.CONNZ', asked, { reply: inbox });
  await sleep(GATHER_MS);
  stop();
  return answers;
}
