import { and, eq } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import type { TextLookup } from '#db/schemas/requests/config-spec.ts';
import { backups, rawConfigs } from '#db/tables/golden-config/configurations.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { notFound, unprocessable } from '#server/kernel/errors.ts';
import { compareTexts } from '#server/kernel/text/text-comparison.service.ts';
import type { Difference } from '#server/kernel/text/text-differences.ts';
import { shownConfiguration } from '../backups/shown-configuration.ts';
import { renderSpec } from './spec-texts.service.ts';

/** Maximum length of both texts together, in characters: nobody reads a larger comparison. */
const MOST = 20_000_000;

/**
 * Returns the differences between two texts (contract/lifecycle#4.1), by word unless `options.type` says otherwise. For a
 * caller who reads masks, both are masked before they are compared: a part that holds nothing but the secret could not be
 * recognised, and that two secrets differ would confirm a guess.
 *
 * @param liveText reads the current configuration of a device
 * @throws ServiceError NOT_FOUND; BAD_REQUEST when a template does not render; UNPROCESSABLE_CONTENT for texts too large
 */
export async function lookupDiff(
  ctx: ReadContext,
  liveText: (device: string) => Promise<string>,
  { id, nextId, collection, nextCollection, options }: TextLookup,
): Promise<Difference[]> {
  const shown = (text: string) => shownConfiguration(ctx.principal, text);
  const before = await shown(await textOf(ctx, collection, id, 'id'));
  const after = await shown(
    nextCollection === 'devices'
      ? await liveText(nextId)
      : await textOf(ctx, nextCollection, nextId, 'nextId'),
  );
  if (before.length + after.length > MOST) {
    throw unprocessable(
      `The texts have ${before.length + after.length} characters, more than ${MOST} in all`,
    );
  }
  return compareTexts(before, after, options?.type ?? 'word');
}

async function textOf(
  ctx: ReadContext,
  kind: TextLookup['collection'],
  id: string,
  field: string,
): Promise<string> {
  if (kind === 'nodes') return (await renderSpec(ctx, id, {}, [field])).rendered;
  const [found] = await ctx.db
    .select({ content: rawConfigs.content })
    .from(backups)
    .innerJoin(rawConfigs, eq(rawConfigs.sha256, backups.sha256))
    .where(and(eq(backups.id, id), mayRead(backups, ctx.principal)));
  if (!found) throw notFound('Backup', id);
  return found.content;
}
