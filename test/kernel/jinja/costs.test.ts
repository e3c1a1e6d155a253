import { expect, test } from 'vitest';
import { AT_ONCE, renderedIn } from '#server/kernel/jinja/rendered.ts';
import { cpuTime } from '../../helpers/cpu-time.ts';

/*
 * What a template does with long texts counts as work before it is done: on the event loop, a rendering that is allowed too much
 * keeps everybody else waiting.
 */
const LONG = 400_000;
const variables = {
  a: 'a'.repeat(LONG),
  same: 'a'.repeat(LONG),
  other: `${'a'.repeat(LONG - 1)}b`,
  nearly: `${'a'.repeat(10)}b${'a'.repeat(LONG / 2)}`,
  digits: '1'.repeat(LONG),
  dots: '.'.repeat(LONG),
  commas: ','.repeat(LONG),
  many: Array.from({ length: 100 }, (_, at) => `${'a'.repeat(20_000)}${at}`),
};

test.each([
  'a.find(nearly)',
  'a.rfind(nearly)',
  'a.count(nearly)',
  'a.split(nearly)',
  'a.partition(nearly)',
  'a.rpartition(nearly)',
  'a.replace(nearly, "")',
  'a | replace(nearly, "")',
  'a | replace("", "")',
  'a | split(nearly)',
  'nearly in a',
  'a in [same]',
  'a == same',
  'a < other',
  '[a, other] | sort',
  '[a, other] | min',
  'many | sort',
  'many | sort(case_sensitive=true)',
  'many | map("lower") | list',
  '{"k": a} | dictsort(false, "value")',
  'digits | int',
  'digits | float',
  'digits | int(0, 16)',
  'digits | filesizeformat',
  'a is upper',
  '{}[a]',
  '"%s" % a',
  '"{}".format(a)',
  '[{}] | map(attribute=dots) | list',
  '[{}] | selectattr(dots) | list',
  '[1, 2] | sort(attribute=dots)',
  '[1, 2] | sort(attribute=commas)',
  '[1, 2] | groupby(dots)',
  '[1, 2] | join("", attribute=dots)',
  '"{:,.10000d}".format(5)',
])('%s over and over ends quickly', (expression) => {
  const template = `{% for round in range(300) %}{% if ${expression} %}{% endif %}{% endfor %}`;
  const begun = cpuTime();
  renderedIn({ template, variables, dialect: 'jinja' }, AT_ONCE);
  expect(cpuTime() - begun).toBeLessThan(1000);
});

test.each([
  ['{:,} {:,} {:_} {:,.2f} {:,}', [1, 123, 1234567, 12345.678, -1000], '1 123 1_234_567 12,345.68 -1,000'],
  // What follows the digits is no part of them, and the bases 2, 8 and 16 have groups of four.
  ['{:,.0%} {:,.1%} {:,.0e}', [12345, 1234.5, 1234567], '1,234,500% 123,450.0% 1e+06'],
  ['{:_x} {:_b} {:_o}', [1234567, 1234567, 1234567], '12_d687 1_0010_1101_0110_1000_0111 455_3207'],
])('numbers are grouped from their last digit, as Python groups them: %s', (format, values, shown) => {
  const given = {
    template: `{{ "${format}".format(${values.join(', ')}) }}`,
    variables: {},
    dialect: 'jinja',
  } as const;
  expect((renderedIn(given, AT_ONCE) as { text: string }).text).toBe(shown);
});
