import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { preprocessed, transformed } from '#db/schemas/transformed.ts';

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
    // In a process of its own: where much has run before, V8 sometimes lets what is young grow old whoever holds it.
    const script = fileURLToPath(new URL('kept-by-schemas.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', script]);
    expect(Number(stdout)).toBeLessThan(2_000_000);
  });
});
