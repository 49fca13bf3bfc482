import { spawnSync } from 'node:child_process';

const ip = (...args: readonly string[]) => spawnSync('ip', args, { encoding: 'utf8' });

/**
 * Why no network namespace can be made here, in a sentence; false where one can. It takes root (CAP_NET_ADMIN and
 * CAP_SYS_ADMIN) on Linux, and ip of iproute2.
 */
export const namespacesMissing: string | false = whyMissing();

function whyMissing(): string | false {
  const name = `svc-try-${process.pid}`;
  const made = ip('netns', 'add', name);
  if (made.status !== 0)
    return `no network namespaces: ${made.error?.message ?? made.stderr.trim()}; they take root on Linux, and iproute2`;
  const linked = ip(
    'link',
    'add',
    `svct${process.pid}`,
    'type',
    'veth',
    'peer',
    'name',
    'inside',
    'netns',
    name,
  );
  ip('netns', 'del', name); // with its end of the cable the other goes too
  return linked.status !== 0 && `no pair of network devices: ${linked.stderr.trim()}`;
}

/**
 * A network namespace with one cable to this one. What is in it reaches `address` and nothing else; with the cable
 * down the kernel drops every packet, and no end hears of it.
 */
export class Namespace {
  readonly name = `svc-${process.pid}`;
  /** Of this end of the cable. */
  readonly address: string;
  readonly #device = `svc${process.pid}`;

  constructor() {
    const subnet = `10.213.${process.pid % 256}`; // of RFC 1918
    this.address = `${subnet}.1`;
    this.#must('netns', 'add', this.name);
    this.#must('link', 'add', this.#device, 'type', 'veth', 'peer', 'name', 'inside', 'netns', this.name);
    this.#must('addr', 'add', `${this.address}/30`, 'dev', this.#device);
    this.#must('link', 'set', this.#device, 'up');
    this.#must('-n', this.name, 'addr', 'add', `${subnet}.2/30`, 'dev', 'inside');
    this.#must('-n', this.name, 'link', 'set', 'inside', 'up');
  }

  cut(): void {
    this.#must('link', 'set', this.#device, 'down');
  }

  mend(): void {
    this.#must('link', 'set', this.#device, 'up');
  }

  /** The command that runs another in here; it becomes that process. */
  get command(): readonly string[] {
    return ['ip', 'netns', 'exec', this.name];
  }

  close(): void {
    ip('netns', 'del', this.name);
  }

  #must(...args: readonly string[]): void {
    const { status, stderr } = ip(...args);
    if (status !== 0) throw new Error(`ip ${args.join(' ')}: ${stderr.trim()}`);
  }
}
