import { sha256 } from '#crypto';
import { utf8 } from '../../src/proof/bytes.ts';
import type { Mode } from '../desk.ts';
import type { SelfTestAnswer, SelfTestQuestion } from './self-test.ts';

/**
 * How a machine becomes a contributor, over HTTP and with an account key: it fetches the self-test, answers it, and
 * shows that the node's key is its own. NATS takes the key from then on.
 */

/** `GET /api/contribute/self-test`. */
export interface SelfTestPaper {
  /** Names this paper; good for one admission and for a while. */
  readonly id: string;
  readonly questions: readonly SelfTestQuestion[];
}

/** Body of `POST /api/contribute/nodes`. */
export interface AdmissionRequest {
  /** Public nkey, `U…`. */
  readonly node: string;
  /** WebAssembly engine and processor, such as `v8-11.3 x64`. */
  readonly engine: string;
  /** Threads that the node offers. */
  readonly cores: number;
  /** Bytes of memory that it offers to all its runs together. */
  readonly memory: number;
  readonly selfTest: { readonly id: string; readonly answers: readonly SelfTestAnswer[] };
  /** The node key's Ed25519 signature over `admissionMessage`, base 64. */
  readonly proof: string;
}

/** Its answer. */
export interface Admission {
  /** URL of the NATS server, such as `nats://127.0.0.1:4222`. */
  readonly nats: string;
  /** The service's verifier key. */
  readonly service: string;
  /** Public nkey of the service: nobody else speaks for it on NATS. */
  readonly nkey: string;
  /** The node's mode as the service knows it. */
  readonly mode: Mode;
  /** The node's key for `x-node-handshake`, 64 hexadecimal digits: with it the node speaks on the gossip. */
  readonly handshake: string;
}

const admitTag = utf8('SVC-ADMIT-1\0');

/** What the node signs: bound to the paper, so that nobody can be admitted with another's answer. */
export function admissionMessage(selfTest: string, node: string): Uint8Array {
  return sha256(admitTag, utf8(selfTest), Uint8Array.of(0), utf8(node));
}

/** Modes as `POST /api/contribute/mode` takes them. */
export const modes: readonly Mode[] = ['idle', 'contributing', 'experimenting'];
