import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { preprocessed, transformed } from '#db/schemas/transformed.ts';
import { oldBytesAfter } from '../helpers/young-memory.ts';

const MB = 1_000_000;
const Text = z.object({ text: z.string() });

describe('schemas that change values', () => {
  test('a value is changed after the schema has accepted it', () => {
    const schema = transformed(Text, ({ text }) => text.length);
    expect(schema.parse({ text: 'abc' })).toBe(3);
    expect(schema.safeParse({ text: 1 }).success).toBe(false);
  });

  test('a value is changed before the schema reads it', () => {
    const schema = preprocessed((value) => ({ text: value }), Text);
    expect(schema.parse('abc')).toEqual({ text: 'abc' });
    expect(schema.safeParse(1).success).toBe(false);
  });

  test('a value that was changed is not kept alive', async () => {
    const schema = preprocessed(
      (value) => value,
      transformed(Text, ({ text }) => text),
    );
    expect(await oldBytesAfter((text) => schema.parse({ text }))).toBeLessThan(2 * MB);
  });
});
