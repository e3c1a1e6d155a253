import { jinjaError } from './jinja-error.ts';
import { itemsOf, type RenderState, tollOf } from './run.ts';
import { type Dict, isSame, type Macro, macro, missing } from './values.ts';

/**
 * Returns the variable `loop` of a loop, and what moves it to a round.
 *
 * @param items that it visits, in their order
 * @param depth of a recursive loop, from 1
 * @param again runs the body for other items, when the loop is recursive
 * @param at offset of the loop in the template
 * @throws JinjaError from its functions: for arguments that they do not accept
 * @see https://jinja.palletsprojects.com/en/stable/templates/#for
 */
export function loopOf(
  run: RenderState,
  items: readonly unknown[],
  depth: number,
  again: ((items: unknown[]) => string) | null,
  at: number,
): { loop: Macro; move: (index0: number) => void } {
  const { length } = items;
  let before: unknown = missing('loop.changed');
  const fields: Dict = Object.create(null);
  Object.assign(fields, {
    length,
    depth,
    depth0: depth - 1,
    cycle: macro('loop.cycle', (listed) => {
      if (listed.length === 0) throw jinjaError(run.text, at, 'loop.cycle needs values');
      return listed[(fields.index0 as number) % listed.length];
    }),
    changed: macro('loop.changed', (listed) => {
      const isChanged = !isSame(before, listed, tollOf(run, at));
      before = listed;
      return isChanged;
    }),
  });
  const move = (index0: number) => {
    fields.index = index0 + 1;
    fields.index0 = index0;
    fields.revindex = length - index0;
    fields.revindex0 = length - index0 - 1;
    fields.first = index0 === 0;
    fields.last = index0 === length - 1;
    fields.previtem = items[index0 - 1];
    fields.nextitem = items[index0 + 1];
  };
  const loop = macro(
    'loop',
    ([inside]) => {
      if (!again) throw jinjaError(run.text, at, 'only a loop with recursive can be called');
      return again(itemsOf(run, inside, at));
    },
    fields,
  );
  return { loop, move };
}
