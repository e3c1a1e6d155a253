import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const tokens = await readFile('web/src/ui/styles/tokens.css', 'utf8');

/** The colours of a block of tokens.css that begins with this selector, by their names. */
function coloursOf(selector: string): Map<string, string> {
  const block = tokens.slice(tokens.lastIndexOf(`${selector} {`)).split('}')[0] ?? '';
  return new Map(
    [...block.matchAll(/--([\w-]+): (#[\da-f]{6});/g)].map(([, name = '', hex = '']) => [name, hex]),
  );
}

const THEMES = {
  light: coloursOf(':root[data-theme="light"]'),
  'dark of the system': coloursOf(':root:not([data-theme="light"])'),
  'dark as chosen': coloursOf(':root[data-theme="dark"]'),
};

/** The relative luminance of a colour (WCAG 2.2). */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of two colours, from 1 to 21. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

const BACKGROUNDS = [
  'page',
  'surface',
  'surface-2',
  'raised',
  'accent-soft',
  'good-soft',
  'bad-soft',
  'warn-soft',
];
/** What is drawn and no text: borders of fields, the ring of the focus, lines of charts and graphs, bars. */
const DRAWN = ['line-strong', 'accent', 'good-fill', 'bad-fill', 'warn-fill', 'info'];
const TEXTS = ['text', 'text-2'];

test.each(Object.entries(THEMES))(
  'what is drawn has a contrast of 3:1 to every background, and text 4.5:1 (%s)',
  (_, theme) => {
    const found = [
      ...DRAWN.map((name) => [name, 3] as const),
      ...TEXTS.map((name) => [name, 4.5] as const),
    ].flatMap(([name, least]) =>
      BACKGROUNDS.flatMap((background) => {
        const ratio = contrast(theme.get(name) ?? '#000000', theme.get(background) ?? '#000000');
        return ratio < least ? [`${name} on ${background}: ${ratio.toFixed(2)}`] : [];
      }),
    );
    expect(found).toEqual([]);
  },
);

test('both ways to the dark theme have the same colours', () => {
  expect(THEMES['dark as chosen']).toEqual(THEMES['dark of the system']);
  expect(THEMES['dark as chosen'].size).toBe(THEMES.light.size);
});

test('every colour has one of the system where that sets all colours', () => {
  const forced = tokens.slice(tokens.indexOf('(forced-colors: active)'));
  const missing = [...THEMES.light.keys()].filter((name) => !forced.includes(`--${name}: `));
  expect(missing).toEqual([]);
});

test('text and the widths at which pages change follow the size of text that is set in the browser', async () => {
  const names = (await readdir('web/src', { recursive: true })).filter((name) => name.endsWith('.css'));
  expect(names.length).toBeGreaterThan(10);
  const found: string[] = [];
  for (const name of names) {
    const text = await readFile(join('web/src', name), 'utf8');
    found.push(...[...text.matchAll(/^@(?:media|container).*\dpx.*$/gm)].map(([rule]) => `${name}: ${rule}`));
    // Steps of a graph and their texts are placed in pixels, and zoomed.
    if (/(graph|workflow)\.css$/.test(name)) continue;
    found.push(...[...text.matchAll(/font-size: \d+px/g)].map(([rule]) => `${name}: ${rule}`));
  }
  expect(found).toEqual([]);
});
