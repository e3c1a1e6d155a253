import { type inferRouterOutputs, initTRPC } from '@trpc/server';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { answer, type JsonText, json, Lines, PlainText } from '#server/kernel/json-text.ts';

// Compiled by `tsc`: each line below @ts-expect-error fails the type check should it ever compile.

const Rack = z.object({ name: z.string(), height: z.int() });
type Rack = z.infer<typeof Rack>;

const t = initTRPC.create();
const text = json<Rack>('{"name":"row 4","height":42}');

test('text that says a value is not accepted as that value', () => {
  // @ts-expect-error a rack is read from the text first
  const rack: Rack = text;
  // @ts-expect-error the text has no field of what it says
  expect(text.name).toBeUndefined();
  // @ts-expect-error a list is read from the text first
  const racks: Rack[] = json<Rack[]>('[]');
  // @ts-expect-error text of one thing is not text of another
  const other: JsonText<{ slots: number }> = text;
  // @ts-expect-error plain text is an answer and no string
  const plain: string = new PlainText('42');
  // @ts-expect-error lines are an answer and no string
  const lines: string = new Lines((async function* () {})());
  expect([rack, racks, other, plain, lines].some((one) => typeof one === 'string')).toBe(false);
  expectTypeOf(text.parse()).toEqualTypeOf<Rack>();
  expect(text.parse()).toEqual({ name: 'row 4', height: 42 });
  expect(JSON.stringify({ data: text })).toBe('{"data":{"name":"row 4","height":42}}');
});

test('a procedure returns text of what its schema declares, and its typed callers get the value', async () => {
  const router = t.router({
    rack: t.procedure.output(answer(Rack)).query(() => text),
    same: t.procedure.output(answer(Rack)).query((): Rack => ({ name: 'row 5', height: 42 })),
    version: t.procedure.output(answer(z.string())).query(() => new PlainText('1.0')),
    // @ts-expect-error the text of a list says no rack
    wrong: t.procedure.output(answer(Rack)).query(() => json<Rack[]>('[]')),
    // @ts-expect-error only an answer that is a string may be plain text
    plain: t.procedure.output(answer(Rack)).query(() => new PlainText('row 4')),
  });
  type Outputs = inferRouterOutputs<typeof router>;
  expectTypeOf<Outputs['rack']>().toEqualTypeOf<Rack>();
  expectTypeOf<Outputs['same']>().toEqualTypeOf<Rack>();
  expectTypeOf<Outputs['version']>().toEqualTypeOf<string>();
  // Behind no guard of ours nothing unwraps it: the very text comes through the output parser.
  expect(await router.createCaller({}).rack()).toBe(text);
});
