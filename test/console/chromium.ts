import { type Browser, chromium } from 'playwright-core';
import { pathBinary } from '../servers/venv.ts';

/** CHROMIUM, or what is on PATH. */
const binary =
  process.env.CHROMIUM ??
  pathBinary('chromium') ??
  pathBinary('chromium-browser') ??
  pathBinary('google-chrome');

/** For `t.test(name, { skip: chromiumMissing }, …)`: false, or why not and how to get it. */
export const chromiumMissing: string | false =
  binary === undefined && 'no Chromium: apt-get install -y chromium, or set CHROMIUM to one';

/** A browser without a window. Root has no sandbox to go into. */
export function startChromium(): Promise<Browser> {
  if (binary === undefined) throw new Error(chromiumMissing || 'no Chromium');
  const args = ['--disable-dev-shm-usage', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return chromium.launch({ executablePath: binary, args, timeout: 120_000 });
}
