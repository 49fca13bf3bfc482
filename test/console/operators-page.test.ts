import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import t from 'tap';
import { registry } from '../../src/operators/registry.ts';
import { type TestApp, testApp } from '../http/test-app.ts';
import { chromiumMissing, startChromium } from './chromium.ts';

const PATIENCE_MS = 120_000;

interface Visit {
  readonly page: Page;
  /** Errors of the page, breaches of its policy, and addresses of other hosts that it asked. */
  readonly complaints: string[];
}

t.test('the page of the operators in a browser', { skip: chromiumMissing }, async (t) => {
  const api = await testApp(t);
  const origin = await api.app.listen({ host: '127.0.0.1', port: 0 });
  const browser = await startChromium();
  t.teardown(() => browser.close());
  const open = (place = '', options: BrowserContextOptions = {}) => visit(browser, origin, place, options);

  t.test('a search with a typing error finds the operator, by keyboard alone', async (t) => {
    const { page, complaints } = await open();
    await page.focus('#query');
    await page.keyboard.type('signel to noize ratio');
    await page.waitForSelector('#results a[data-id="SP7"]');
    await page.selectOption('#category', 'signal_processing');
    await page.waitForFunction(() => location.hash.includes('category=signal_processing'));
    await page.waitForFunction(() =>
      [...document.querySelectorAll('#results .kicker')].every((each) =>
        each.textContent?.endsWith('signal processing'),
      ),
    );
    await page.focus('#query');
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => document.activeElement?.matches('#results a'));
    await page.focus('#results a[data-id="SP7"]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#operator-name');
    t.equal(await page.textContent('#operator-name'), 'signal-to-noise ratio');
    t.match(page.url(), /#SP7&q=/, 'the address names operator and words');
    t.ok(await page.locator('.formula .katex-html').count(), 'the formula is set in type');
    t.ok(await page.locator('.formula math').count(), 'and stands there as MathML for who listens');
    t.equal(await page.inputValue('#input-P_noise'), '100 mW', 'filled in from the worked example');
    t.same(complaints, []);
  });

  t.test('computes the worked example, and the receipt is verified in the page', async (t) => {
    const { page, complaints } = await open('#MECH_PROJECTILE_RANGE');
    await compute(page, api.key);
    const [example] = registry().rows.get('MECH_PROJECTILE_RANGE')!.examples;
    t.equal(example?.value, 74.77171135008282, 'mpmath 1.3.0, 40 digits');
    t.equal(await page.textContent('#value'), '74.77171135 m');
    const answer = await page.innerText('.answer');
    t.match(answer, /As the worked example has it: 74\.77171135008282 m/);
    t.match(answer, /g = 9\.80665 m\/s²: standard acceleration of gravity/, 'what was assumed');
    t.match(answer, /one standard uncertainty/);
    t.match(answer, /Leaf \d+ of the log of \S+, under a signed checkpoint/);
    await page.click('text=Verify the receipt here');
    await page.waitForSelector('.verdict strong', { timeout: PATIENCE_MS });
    t.equal(await page.textContent('.verdict strong'), 'SOUND');
    t.same(complaints, []);
  });

  t.test('a unit may be typed, and a wrong input is refused at its field', async (t) => {
    const { page } = await open('#SP7');
    await page.fill('#input-P_signal', '1 hW');
    await page.fill('#input-P_noise', '1 W');
    await compute(page, api.key);
    t.equal(await page.textContent('#value'), '20 dB');
    const wrong: readonly (readonly [typed: string, sentence: RegExp])[] = [
      ['3 km/h', /accepted: a unit that converts to W/],
      ['-1', /is -1 W; accepted: a finite number above 0 W/],
      ['1,5', /“1,5” is no number/],
      ['', /needs P_noise, power of the noise/],
    ];
    for (const [typed, sentence] of wrong) {
      await page.fill('#input-P_noise', '1 W');
      await compute(page, api.key);
      await page.fill('#input-P_noise', typed);
      await page.click('button.primary');
      await page.waitForSelector('#error-P_noise:not(:empty)');
      t.match(await page.textContent('#error-P_noise'), sentence, typed);
      t.equal(await page.getAttribute('#input-P_noise', 'aria-invalid'), 'true');
      t.equal(await page.evaluate(() => document.activeElement?.id), 'input-P_noise', 'and it has the focus');
      t.equal(await page.locator('#value').count(), 0, 'the value of other inputs is gone');
    }
  });

  t.test('without a key nothing is asked of compute, and with a wrong one the node says so', async (t) => {
    const { page } = await open('#SP7');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.click('button.primary');
    t.match(await page.textContent('#key-error'), /Nothing was computed: a key of an account is needed/);
    t.notOk(asked.some((url) => url.endsWith('/api/svc/compute')));
    await page.fill('#account-key', 'svc_ak_0123');
    await page.click('button.primary');
    await page.waitForFunction(() => /revoked/.test(document.querySelector('#key-error')?.textContent ?? ''));
    const kept = await page.evaluate(
      () => localStorage.length + sessionStorage.length + document.cookie.length,
    );
    t.equal(kept, 0, 'the key is in no storage');
  });

  t.test('what is no single number can be read and not computed', async (t) => {
    const { page } = await open('#SP10');
    t.match(await page.innerText('#operator'), /refused by compute/);
    t.equal(await page.locator('button.primary').count(), 0);
  });

  t.test('an operator that is not there is refused in a sentence with the nearest', async (t) => {
    const { page } = await open('#SP77');
    t.match(await page.innerText('#operator'), /SP77.*the nearest is SP7/);
  });

  t.test('markup in names, formulas and refusals stays text', async (t) => {
    const { page, complaints } = await open();
    await poison(page);
    await page.fill('#query', 'anything');
    await page.waitForSelector('#results a[data-id="EVIL"]');
    await page.evaluate(() => {
      location.hash = '#EVIL';
    });
    await page.waitForSelector('#operator-name');
    await page.fill('#account-key', 'svc_ak_0');
    await page.click('button.primary');
    await page.waitForSelector('#form-error:not(:empty)');
    t.equal(await page.textContent('#operator-name'), evil);
    t.match(await page.textContent('#form-error'), evil);
    t.equal(await page.locator('main img, main script, main iframe, main a[href^="javascript"]').count(), 0);
    t.equal(await page.evaluate(() => 'pwned' in window), false);
    t.same(
      complaints.filter((each) => !each.includes('400 (Bad Request)')),
      [],
    );
  });

  t.test('on a telephone nothing is wider than the screen', async (t) => {
    const { page } = await open('#CIRC_OPAMP_INPUT_NOISE', { viewport: { width: 360, height: 740 } });
    await compute(page, api.key);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    t.equal(width, 360);
  });

  t.test('text can be told from its ground in light and in dark (WCAG 2.2, 1.4.3)', async (t) => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await open('#SP7', { colorScheme });
      await page.fill('#input-P_noise', 'x');
      await page.click('button.primary');
      for (const selector of ['h2', '.hint', '.kicker', '.error:not(:empty)', 'button.primary', 'header a'])
        t.ok((await page.evaluate(contrastOf, selector)) >= 4.5, `${colorScheme} ${selector}`);
    }
  });
});

/** Opens a place of the page and waits until it is drawn. */
async function visit(
  browser: Browser,
  origin: string,
  place: string,
  options: BrowserContextOptions,
): Promise<Visit> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(origin)) complaints.push(`asks ${request.url()}`);
  });
  await page.goto(`${origin}/docs/operators${place}`);
  await page.waitForFunction(() => document.querySelector('#found')?.textContent !== '');
  if (place !== '') await page.waitForSelector('#operator > *');
  return { page, complaints };
}

async function compute(page: Page, key: TestApp['key']): Promise<void> {
  await page.waitForSelector('button.primary');
  await page.fill('#account-key', key);
  await page.click('button.primary');
  await page.waitForSelector('.answer', { timeout: PATIENCE_MS });
}

const evil = '<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>';

/** Answers in place of the node: an operator whose every word is markup. */
async function poison(page: Page): Promise<void> {
  const heading = { id: 'EVIL', name: evil, category: evil, unit: evil };
  const equation = `\\href{javascript:window.pwned=1}{x}\\htmlData{a=${evil}}{x} = ${evil}`;
  const input = { symbol: 'x', aliases: [evil], meaning: evil, unit: evil, role: 'assumed', value: '1' };
  const row = {
    ...{ ...heading, equation, description: evil, expression: 'x', inputs: [{ ...input, because: evil }] },
    ...{ conditions: [{ meaning: evil }], result: { symbol: evil, unit: evil, meaning: evil } },
    ...{ source: evil, validity: evil, examples: [] },
  };
  const specified = {
    ...{ required: [{ symbol: 'x', accepts: evil }], conditional: [], assumed: [], optional: [] },
    ...{ constants: [], fixed: [{ symbol: evil, meaning: evil, numeral: '1', unit: evil }] },
  };
  const answers: Readonly<Record<string, unknown>> = {
    '**/api/svc/lib-search': { total: 1, results: [{ ...heading, equation }] },
    '**/api/svc/operators/EVIL': row,
    '**/api/svc/operator-spec': { operators: [specified] },
  };
  for (const [path, json] of Object.entries(answers))
    await page.route(path, (route) => route.fulfill({ json }));
  await page.route('**/api/svc/compute', (route) =>
    route.fulfill({ status: 400, json: { error: { code: 'INVALID_INPUT', message: evil } } }),
  );
}

/** Contrast ratio of the first such element's text with the ground behind it, by WCAG 2.2. Runs in the page. */
function contrastOf(selector: string): number {
  const channels = (color: string) => color.match(/[\d.]+/g)!.map(Number);
  const luminance = (color: string) => {
    const [r = 0, g = 0, b = 0] = channels(color).map((channel) => {
      const share = channel / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const isClear = (color: string) => channels(color)[3] === 0;
  let ground: Element | null = document.querySelector(selector);
  const text = luminance(getComputedStyle(ground!).color);
  while (ground && isClear(getComputedStyle(ground).backgroundColor)) ground = ground.parentElement;
  const behind = luminance(getComputedStyle(ground!).backgroundColor);
  return (Math.max(text, behind) + 0.05) / (Math.min(text, behind) + 0.05);
}
