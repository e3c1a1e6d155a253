import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { renderedIn } from '#server/kernel/jinja/rendered.ts';

/** What Jinja 3.1.6 renders, as `test/fixtures/jinja/render.py` wrote it. */
type Case = { template: string; text?: string; error?: string };
const [first = '', ...lines] = readFileSync('test/fixtures/jinja/cases.jsonl', 'utf8').trim().split('\n');
const { variables } = JSON.parse(first) as { variables: Record<string, unknown> };
const cases = lines.map((line) => JSON.parse(line) as Case);

const outcomeOf = (template: string, given: Record<string, unknown> = variables) =>
  renderedIn({ template, variables: given, dialect: 'jinja' });

test('text templates render what Jinja renders of them, and fail where it fails', () => {
  expect(cases.length).toBeGreaterThan(1000);
  const different = cases.flatMap(({ template, text }) => {
    const outcome = outcomeOf(template);
    const rendered = 'text' in outcome ? outcome.text : undefined;
    return rendered === text ? [] : [{ template, text, rendered: rendered ?? outcome }];
  });
  expect(different).toEqual([]);
});

test('a rendering leaves its variables as they are, whatever the template does with them', () => {
  const given = { list: ['a'], dict: { inner: { n: 1 } } };
  const before = structuredClone(given);
  const { text } = outcomeOf(
    '{% do list.append("b") %}{% do dict.inner.update({"n": 2}) %}{% do dict.pop("inner") %}{{ list }}{{ dict }}',
    given,
  ) as { text: string };
  expect(text).toBe("['a', 'b']{}");
  expect(given).toEqual(before);
});

describe('where a template says less than it needs', () => {
  test.each([
    ['{{ nobody.name }}', 'nobody is undefined', 'nobody'],
    ['{{ 1 + nobody }}', 'nobody is undefined', 'nobody'],
    ['{{ nobody | mandatory }}', 'nobody is undefined', 'nobody'],
    ['{{ nobody() }}', 'nobody is undefined', 'nobody'],
    ['{{ iface.nope.more }}', 'member "nope" of a dict is undefined', undefined],
  ])('%s is an error that names it', (template, reason, variable) => {
    const outcome = outcomeOf(template);
    expect(outcome).toMatchObject({ error: { message: expect.stringContaining(reason) } });
    if (variable !== undefined) expect(outcome).toMatchObject({ error: { variable } });
  });

  test.each([
    ['{% include "other" %}', 'a template is rendered by itself'],
    ['{% extends "base" %}', 'a template is rendered by itself'],
    ['{% autoescape true %}', 'the filter e escapes a value'],
  ])('%s is rejected with what to do', (template, reason) => {
    expect(outcomeOf(template)).toMatchObject({ error: { message: expect.stringContaining(reason) } });
  });
});
