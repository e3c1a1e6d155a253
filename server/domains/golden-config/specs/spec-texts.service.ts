import { sql } from 'drizzle-orm';
import { find } from '#db/collection.ts';
import type { Line } from '#db/schemas/golden-config/config-spec.ts';
import { specs, treeVersions } from '#db/tables/golden-config/configurations.ts';
import { calculateOr } from '#server/kernel/calculations/calculation-pool.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { invalid, invalidRequest } from '#server/kernel/errors.ts';
import { renderInTime } from '#server/kernel/jinja/render-in-thread.ts';
import { type JsonText, json } from '#server/kernel/json-text.ts';
import { assertNone } from '#server/kernel/validation/document-issues.ts';
import { parserSourceNamed, readerFor } from '../parsers/readers.service.ts';
import { dialectOf } from '../parsing/dialect.ts';
import { printTemplate } from '../rule-sources/print.ts';
import { type SpecSource, specTextOf } from '../rule-sources/spec-of-text.ts';
import { templateIssues } from './derivation.ts';
import { readSpec } from './specs.service.ts';

type Variables = Record<string, unknown>;

/**
 * Returns rules that require every line of a configuration; nothing is stored (contract/lifecycle#4.6).
 *
 * @param deviceType name of the parser; `ostype` is another name of the same field
 * @param nativeConfig configuration as the device prints it
 * @throws ServiceError BAD_REQUEST unless one parser that exists is named, and for text that is no valid template
 */
export async function generateSpec(
  ctx: ReadContext,
  {
    deviceType,
    ostype,
    nativeConfig,
  }: { deviceType?: string | undefined; ostype?: string | undefined; nativeConfig: string },
): Promise<JsonText<{ lines: Line[]; template: string }>> {
  const name = deviceType ?? ostype;
  if (name === undefined || (deviceType !== undefined && ostype !== undefined && deviceType !== ostype)) {
    throw invalid(['deviceType'], 'set either deviceType or ostype');
  }
  const source = await parserSourceNamed(ctx, name, [deviceType === undefined ? 'ostype' : 'deviceType']);
  const { text, issues } = await specInTime({ ...source, nativeConfig });
  assertNone(templateIssues(issues, ['nativeConfig']));
  return json(text);
}

/** Longest configuration, in characters, that is processed on the main thread. */
const LONGEST_AT_ONCE = 20_000;

/** @throws ServiceError BAD_REQUEST when it takes too long or too much memory */
async function specInTime(source: SpecSource) {
  if (source.nativeConfig.length <= LONGEST_AT_ONCE && !source.lexRules?.length) return specTextOf(source);
  return calculateOr<ReturnType<typeof specTextOf>>('spec of a text', source, (reason) => {
    throw invalid(['nativeConfig'], `cannot be parsed: the calculation ${reason}`, 'too_big');
  });
}

/** The dialect for lines without a device type. */
const USUAL = 'cisco-ios';

/**
 * Prints lines as text, with their marks (contract/lifecycle#4.6).
 *
 * @param lines of a spec that is not stored
 * @param specId id of a stored spec, in place of lines
 * @returns `config`: the text
 * @throws ServiceError BAD_REQUEST for both or neither of lines and specId, NOT_FOUND
 */
export async function translateSpec(
  ctx: ReadContext,
  { lines, specId }: { lines?: Line[] | undefined; specId?: string | undefined },
): Promise<{ config: string }> {
  if ((lines === undefined) === (specId === undefined)) {
    throw invalid(['lines'], 'set either lines or specId');
  }
  const spec = specId === undefined ? undefined : await readSpec(ctx, specId);
  const reader = spec && (await readerFor(ctx.db, spec.deviceType));
  const dialect = reader?.dialect ?? dialectOf(USUAL);
  return { config: dialect ? printTemplate(spec?.lines ?? lines ?? [], dialect) : '' };
}

/**
 * Returns a spec's template, and its text as rendered by `renderSpec` (contract/lifecycle#4.6).
 *
 * @param specId id of the spec; `deviceConfigId` is another name of the same field
 * @param variables override those of the spec and of its version
 * @throws ServiceError BAD_REQUEST with line and column, NOT_FOUND
 */
export async function specTemplate(
  ctx: ReadContext,
  {
    deviceConfigId,
    specId,
    variables,
  }: { deviceConfigId?: string | undefined; specId?: string | undefined; variables?: Variables | undefined },
): Promise<{ template: string; rendered: string }> {
  const id = specId ?? deviceConfigId;
  if (
    id === undefined ||
    (specId !== undefined && deviceConfigId !== undefined && specId !== deviceConfigId)
  ) {
    throw invalid(['specId'], 'set either specId or deviceConfigId');
  }
  return renderSpec(ctx, id, variables ?? {}, ['variables']);
}

/**
 * Returns a spec's template, and its text rendered with its own variables, those of its version, and those given.
 *
 * @param path the field that errors refer to
 * @throws ServiceError BAD_REQUEST with line and column, NOT_FOUND
 */
export async function renderSpec(
  ctx: ReadContext,
  id: string,
  given: Variables,
  path: string[],
): Promise<{ template: string; rendered: string }> {
  const spec = await readSpec(ctx, id);
  const version = await find(
    ctx.db,
    treeVersions,
    sql`${treeVersions.id} = (select ${specs.versionId} from ${specs} where ${specs.id} = ${id})`,
  );
  const all = { ...spec.variables, ...version?.doc.variables, ...given };
  return { template: spec.template, rendered: await renderText(spec.template, all, path) };
}

/**
 * Renders a template of the safe subset of Jinja, within a second and a MiB (contract/lifecycle#4.6).
 *
 * @param template Jinja source (docs/jinja.md)
 * @param path the field that errors refer to
 * @returns the rendered text
 * @throws ServiceError BAD_REQUEST with line and column
 */
export async function renderText(template: string, variables: Variables, path: string[]): Promise<string> {
  const rendered = await renderInTime({ template, variables, dialect: 'rules' });
  if ('text' in rendered) return rendered.text;
  throw invalidRequest(templateIssues([rendered.error], path));
}
