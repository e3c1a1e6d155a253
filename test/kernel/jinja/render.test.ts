import { describe, expect, test } from 'vitest';
import { JinjaError } from '#server/kernel/jinja/jinja-error.ts';
import { originOf, render } from '#server/kernel/jinja/render.ts';
import { compileTemplate } from '#server/kernel/jinja/template.ts';

const make = (template: string, variables: Record<string, unknown> = {}) =>
  render(compileTemplate(template), variables).text;

/** Returns the error with which a template is rejected. */
function refusalOf(template: string, variables: Record<string, unknown> = {}): JinjaError {
  try {
    make(template, variables);
  } catch (error) {
    if (error instanceof JinjaError) return error;
    throw error;
  }
  throw new Error(`${template} was not refused`);
}

describe('texts of templates', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['no marks at all\n', {}, 'no marks at all\n'],
    ['a {{ x }} b', { x: 1 }, 'a 1 b'],
    ['{{ a.b["c"].0 }}{{ a.b.c[1] }}{{ a.b.c[-1] }}', { a: { b: { c: ['x', 'y'] } } }, 'xyy'],
    [
      '{% for i in xs %}{{ loop.index }}{{ i }}{% if not loop.last %},{% endif %}{% endfor %}',
      { xs: 'ab' },
      '1a,2b',
    ],
    ['{% for i in xs %}{{ i }}{% else %}none{% endfor %}', { xs: [] }, 'none'],
    ['{% for k, v in d.items() %}{{ k }}={{ v }};{% endfor %}', { d: { a: 1, b: 2 } }, 'a=1;b=2;'],
    ['{% for i in [1,2,3,4] if i is even %}{{ i }}{% endfor %}', {}, '24'],
    ['{% if a == 1 %}one{% elif a > 1 %}more{% else %}less{% endif %}', { a: 2 }, 'more'],
    ['{% set x = 2 %}{{ x ** 3 + 1 - 8 // 3 }}', {}, '7'],
    ['{% set x %}a{{ 1 }}{% endset %}[{{ x }}]', {}, '[a1]'],
    ['a  {%- if true -%}  b  {%- endif -%}  c', {}, 'abc'],
    ['{# gone #}x{#- -#} y', {}, 'xy'],
    ['{% raw %}{{ x }}{% endraw %}', {}, '{{ x }}'],
    ['{{ "a" ~ 1 ~ none }}', {}, 'a1'],
    ['{{ 1 if false }}|{{ 1 if true else 2 }}', {}, '|1'],
    ['{{ 1e-7 }} {{ 1.0 }} {{ 0.1 + 0.2 }}', {}, '1e-7 1 0.30000000000000004'],
    ['{{ "b" in ["a", "b"] and "x" not in "abc" }}', {}, 'true'],
    ['{{ 1 < 2 < 3 }}{{ 3 > 2 > 2 }}', {}, 'truefalse'],
    ['{{ x is defined }}{{ y is not defined }}', { x: 0 }, 'truetrue'],
    ['{{ nobody | default("me") }}{{ a.b.c | d("x") }}', { a: {} }, 'mex'],
    ['{{ "" | default("empty", true) }}', {}, 'empty'],
    ['{{ [3,1,2] | sort | join("-") }}{{ [1,1,2] | unique | list }}', {}, '1-2-3[1,2]'],
    ['{{ xs | map(attribute="n") | join(",") }}', { xs: [{ n: 1 }, { n: 2 }] }, '1,2'],
    ['{{ xs | map("upper") | join }}', { xs: ['a', 'b'] }, 'AB'],
    [
      '{{ xs | selectattr("on") | map(attribute="n") | sum }}',
      {
        xs: [
          { n: 1, on: true },
          { n: 5, on: false },
        ],
      },
      '1',
    ],
    ['{{ xs | rejectattr("n", "gt", 2) | length }}', { xs: [{ n: 1 }, { n: 5 }] }, '1'],
    ['{{ "a,b" | split(",") | last }}{{ "a b".split()[0] }}', {}, 'ba'],
    [
      '{{ "ge-0/0/1".replace("ge", "xe") }}{{ "x" | upper }}{{ "hello world" | title }}',
      {},
      'xe-0/0/1XHello World',
    ],
    ['{{ "7 days" | int + 1 }} {{ "2.5" | float }} {{ 2.5 | round }} {{ -3 | abs }}', {}, '8 2.5 3 3'],
    ['{{ {"b": 1, "a": [true, none]} | tojson }}', {}, '{"b":1,"a":[true,null]}'],
    ['{{ "a\nb" | indent(2) }}', {}, 'a\n  b'],
    ['{{ range(3) | list }}{{ range(5, 1, -2) | list }}', {}, '[0,1,2][5,3]'],
    [
      '{% macro port(n, speed=10) %}p{{ n }}@{{ speed }}{% endmacro %}{{ port(1) }} {{ port(2, speed=40) }}',
      {},
      'p1@10 p2@40',
    ],
    [
      '{% set ns = namespace(found=false) %}{% for i in [1,2] %}{% if i == 2 %}{% set ns.found = true %}{% endif %}{% endfor %}{{ ns.found }}',
      {},
      'true',
    ],
    ['{% set x = 1 %}{% for i in [1] %}{% set x = 2 %}{% endfor %}{{ x }}', {}, '1'],
    ['{{ [1,2,3][1:] }}{{ "abcd"[:2] }}', {}, '[2,3]ab'],
    ['{{ "abc"[::-1] }}{{ [1,2,3,4][::2] }}{{ "\\u00e9\\x21" }}', {}, 'cba[1,3]é!'],
    [
      '{% set l = [] %}{% for i in xs %}{% set _ = l.append(i) %}{% endfor %}{{ l }}',
      { xs: [1, 2] },
      '[1,2]',
    ],
    ['{% with x = 1 %}{{ x }}{% endwith %}{% filter upper %}a{{ 1 }}{% endfilter %}', {}, '1A1'],
    [
      '{% for i in [1,2,3,4] %}{% if i == 2 %}{% continue %}{% elif i == 4 %}{% break %}{% endif %}{{ i }}{% endfor %}',
      {},
      '13',
    ],
    ['version {/22.(4R1.10|4R2.8)/};{d/}}', {}, 'version {/22.(4R1.10|4R2.8)/};{d/}}'],
  ])('renders %s', (template, variables, expected) => {
    expect(make(template, variables)).toBe(expected);
  });
});

describe('what is rejected, and where', () => {
  test.each<[string, number, number, string]>([
    ['a\nb {{ nobody }}', 2, 6, 'nobody is undefined'],
    ['{{ a.b }}', 1, 4, 'a.b is undefined'],
    ['x\n{% if %}', 2, 7, 'expected a value'],
    ['{% for x in y %}', 1, 1, 'endfor'],
    ['\n\n  {% endif %}', 3, 3, 'unexpected endif'],
    ['{{ x', 1, 1, '}} is missing'],
    ['{# x', 1, 1, 'not closed'],
    ['{{ 1 | shout }}', 1, 7, 'unknown filter shout'],
    ['{{ 1 is odder }}', 1, 6, 'unknown test odder'],
    ['{% include "x" %}', 1, 1, 'not supported'],
    ['{{ 1 + "a" }}', 1, 6, 'not possible'],
    ['{{ 1 / 0 }}', 1, 6, 'not a number'],
    ['{{ (1 }}', 1, 4, 'unexpected'],
    ['{{ a ? b }}', 1, 6, 'unexpected'],
    ['{% if a %}{% endif %}', 1, 7, 'a is undefined'],
    ['x{% break %}', 1, 2, 'only possible within a loop'],
    ['{% call 5 %}{% endcall %}', 1, 1, 'call needs the call of a macro'],
    ['{% for i in [1] %}{{ loop([]) }}{% endfor %}', 1, 1, 'recursive'],
    ['{{ "%d" % "x" }}', 1, 9, 'expected a number'],
    ['{{ "%d" % (1, 2) }}', 1, 9, 'more values than conversions'],
    ['{{ "{a}".format(1) }}', 1, 16, 'the field {a} has no value'],
    ['{{ [] | first }}', 1, 8, 'first of an empty list'],
  ])('rejects %s with its position', (template, line, column, reason) => {
    const error = refusalOf(template);
    expect(error.message).toContain(reason);
    if (reason !== 'unexpected') expect([error.line, error.column]).toEqual([line, column]);
    expect(error.line).toBe(line);
  });

  test('an undefined variable is reported by its name', () => {
    expect(refusalOf('ntp server {{ ntp }}').variable).toBe('ntp');
    expect(refusalOf('{{ site.ntp.first }}', { site: {} }).variable).toContain('ntp');
  });
});

describe('what a template cannot reach', () => {
  test.each([
    '{{ x.constructor }}',
    '{{ x.__proto__ }}',
    '{{ x["constructor"]["constructor"] }}',
    '{{ "".constructor }}',
    '{{ [].constructor }}',
    '{{ range.constructor }}',
    '{{ x.toString() }}',
    '{{ [].push(1) }}',
    '{{ process }}',
    '{{ globalThis }}',
    '{% set m %}{% endset %}{{ m.at }}',
    '{% macro m() %}{% endmacro %}{{ m.run }}',
    '{{ [x] | map(attribute="constructor.constructor") | list }}',
    '{{ "{0.constructor}".format("x") }}',
    '{{ "%(constructor)s" % x }}',
    '{% for i in [1] %}{{ loop.constructor }}{% endfor %}',
    '{{ cycler(1).__proto__ }}',
    '{{ x | attr("constructor") }}',
  ])('%s', (template) => {
    expect(refusalOf(template, { x: {} })).toBeInstanceOf(JinjaError);
  });

  test('names like __proto__ in a dict are ordinary keys', () => {
    expect(make('{{ {"__proto__": {"a": 1}}["__proto__"].a }}')).toBe('1');
    expect(({} as Record<string, unknown>).a).toBeUndefined();
  });
});

describe('what a template may use', () => {
  test.each([
    '{% for a in range(100000000) %}{% endfor %}',
    '{% for a in range(3000) %}{% for b in range(3000) %}{% endfor %}{% endfor %}',
    '{% set ns = namespace(x="aaaaaaaa") %}{% for i in range(64) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}',
    '{{ "a" * 100000000 }}',
    '{% for i in range(100000) %}{{ "0123456789ab" }}{% endfor %}',
    '{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}',
    `{{ ${'1 + '.repeat(2000)} 1 }}`,
    `{{ ${'('.repeat(2000)} 1 ${')'.repeat(2000)} }}`,
    `${'{% if true %}'.repeat(200)}${'{% endif %}'.repeat(200)}`,
    `{{ ${'not '.repeat(2000)} 1 }}`,
    '{% set ns = namespace(x=[]) %}{% for i in range(9999) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}',
    '{% set ns = namespace() %}{% set ns.x = [ns] %}{{ ns }}',
    '{% set a = namespace(x=1) %}{% set b = namespace(x=1) %}{% for i in range(9999) %}{% set a.x = [a.x] %}{% set b.x = [b.x] %}{% endfor %}{{ a.x == b.x }}',
    '{% set l = [0] %}{% for i in range(64) %}{% set _ = l.extend(l) %}{% endfor %}',
    '{% set l = [] %}{% set _ = l.append(l) %}{{ l }}',
    '{% set d = {} %}{% set _ = d.update({"a": d}) %}{{ d | tojson }}',
    '{{ [0] * 1000000000 }}',
    '{{ [1] | batch(1000000000, 0) | list }}',
    '{{ "x".center(1000000000) }}',
    '{{ ("ab " * 300000) | wordwrap(1, true, "y" * 900000) }}',
    '{{ ("{0:>9999}" * 200).format(1) }}',
    '{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}',
    '{% macro f() %}{{ caller() }}{% call f() %}{% endcall %}{% endmacro %}{% call f() %}x{% endcall %}',
    '{% set ns = namespace(x=[1,2]) %}{% for i in range(64) %}{% set ns.x = ns.x + ns.x %}{% endfor %}',
  ])('%s is stopped', (template) => {
    const started = process.cpuUsage().user;
    expect(refusalOf(template).message).toMatch(/too long|too deep|levels deep|grows/);
    expect(process.cpuUsage().user - started).toBeLessThan(3_000_000);
  });
});

test('a program knows the variables that it reads, and not the names that it binds itself', () => {
  const { reads } = compileTemplate(
    '{% set a = site %}{% for i in ports if i.up %}{{ i.n }}{{ loop.index }}{{ a }}{% endfor %}{{ i }}{{ range(n) }}',
  );
  expect([...reads].sort()).toEqual(['i', 'n', 'ports', 'site']);
});

test('every place of the result is traced to its place in the template', () => {
  const program = compileTemplate('ab\n{% for i in [1,2] %}\ncd {{ i }}x\n{% endfor %}\nend');
  const { text, origins } = render(program, {});
  expect(originOf(program, origins, text.indexOf('ab') + 1)).toEqual({ line: 1, column: 2 });
  expect(originOf(program, origins, text.lastIndexOf('cd') + 1)).toEqual({ line: 3, column: 2 });
  expect(originOf(program, origins, text.indexOf('2x'))).toEqual({ line: 3, column: 4 });
  expect(originOf(program, origins, text.indexOf('end'))).toEqual({ line: 5, column: 1 });
});
