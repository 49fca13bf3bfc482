import { PULSE_HZ, TICK_NS, tickOf } from '../clock/pulse.ts';
import type { Means } from '../ledger/accounts.ts';
import type { ServiceNode } from '../node.ts';
import { toBase64 } from '../proof/bytes.ts';

/** How a register's bytes are read; integers and doubles little-endian, text in UTF-8 filled up with zero bytes. */
export type RegisterType = 'u64' | 'u128' | 'f64' | 'text';

export interface Register {
  readonly name: string;
  /** Bytes from the start of the page. */
  readonly offset: number;
  /** Bytes. */
  readonly width: number;
  readonly type: RegisterType;
  readonly unit: string | null;
  readonly meaning: string;
  /** Integers as decimal text, for they may pass 2⁵³. */
  readonly value: string | number;
}

/** A page of registers: the manifest of what stands where, and the bytes themselves in base 64. */
export interface RegisterPage {
  readonly bytes: number;
  readonly registers: readonly Register[];
  readonly page: string;
}

const PAGE = 4096;
/** Where the registers of an account begin. */
const ACCOUNT_AT = 1024;
const widths: Readonly<Record<RegisterType, number>> = { u64: 8, u128: 16, f64: 8, text: 64 };

type Row = readonly [
  name: string,
  type: RegisterType,
  value: bigint | number | string,
  unit: string | null,
  meaning: string,
];

/** The registers of a node, read now (AUTH-08). */
export async function nodeRegisters(node: ServiceNode): Promise<RegisterPage> {
  return pageOf(laidOut(await nodeRows(node), 0));
}

/** The same with those of an account. @throws Refusal NOT_FOUND */
export async function accountRegisters(node: ServiceNode, zid: string): Promise<RegisterPage> {
  const [rows, means] = await Promise.all([nodeRows(node), node.accounts.means(zid)]);
  return pageOf([...laidOut(rows, 0), ...laidOut(accountRows(zid, means), ACCOUNT_AT)]);
}

async function nodeRows(node: ServiceNode): Promise<Row[]> {
  const { jobs, queued, logSize } = await node.load();
  const now = node.now();
  return [
    ['tick_ns', 'u64', TICK_NS, 'ns', 'length of a tick, exactly'],
    ['tick', 'u64', BigInt(tickOf(now)), '1', 'ticks since the Unix epoch'],
    ['t_ns', 'u64', now, 'ns', 'time since the Unix epoch'],
    ['pulse', 'f64', PULSE_HZ, 'Hz', 'caption of the pulse'],
    ['jobs', 'u64', BigInt(jobs), '1', 'jobs that run or wait'],
    ['queue', 'u64', BigInt(queued), '1', 'runs of kernels that have not started'],
    ['threads', 'u64', BigInt(node.threads), '1', 'threads for kernels'],
    ['log_size', 'u64', BigInt(logSize), '1', 'leaves of the log that are signed for'],
    ['kernels', 'u64', BigInt(node.catalogue.names.length), '1', 'kernels of this release'],
    ['node', 'text', node.name, null, 'name of the node'],
  ];
}

function accountRows(zid: string, { bond, free, paid, held }: Means): Row[] {
  return [
    ['account', 'text', zid, null, 'id of the account that the key speaks for'],
    ['bond', 'u128', bond, 'ns', 'plancks in the bond'],
    ['fuel', 'u128', free + paid, 'ns', 'plancks of fuel'],
    ['held', 'u128', held, 'ns', 'plancks held for jobs under way'],
  ];
}

function laidOut(rows: readonly Row[], start: number): Register[] {
  let offset = start;
  return rows.map(([name, type, value, unit, meaning]) => {
    const at = offset;
    offset += widths[type];
    const shown = typeof value === 'bigint' ? String(value) : value;
    return { name, offset: at, width: widths[type], type, unit, meaning, value: shown };
  });
}

function pageOf(registers: readonly Register[]): RegisterPage {
  const page = new Uint8Array(PAGE);
  for (const register of registers) write(page, register);
  return { bytes: PAGE, registers, page: toBase64(page) };
}

const LOW = 2n ** 64n - 1n;

function write(page: Uint8Array, { offset, width, type, value }: Register): void {
  const view = new DataView(page.buffer);
  if (type === 'text') new TextEncoder().encodeInto(String(value), page.subarray(offset, offset + width));
  else if (type === 'f64') view.setFloat64(offset, Number(value), true);
  else {
    view.setBigUint64(offset, BigInt(value) & LOW, true);
    if (type === 'u128') view.setBigUint64(offset + 8, BigInt(value) >> 64n, true);
  }
}
