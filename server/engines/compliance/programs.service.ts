import { createHash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { type Database, rows } from '#db/client.ts';
import { findAll } from '#db/collection.ts';
import { textArray } from '#db/list/place.ts';
import type { Spec } from '#db/schemas/config-spec.ts';
import type { TreeVersion } from '#db/schemas/golden-tree.ts';
import { specs, treeVersions } from '#db/tables.ts';
import { type ParserSource, parserSourcesFor } from '#server/engines/configuration/readers.service.ts';
import { findNode } from '#server/engines/configuration/tree-nodes.ts';
import { TemplateRefused } from '#server/engines/jinja/refusal.ts';
import { compileTemplate } from '#server/engines/jinja/template.ts';
import { type Place, variablesAt } from './places.ts';
import { isDerived, type ProgramSource, type SpecSource, variablesIn } from './program-source.ts';

/**
 * What a verdict means; part of every program's hash. Raised when the same rules and the same text come to be judged in
 * another way: what was found before is then not taken over.
 */
const VERDICTS = 1;

/** The variable under which rules find what is known of the device: `device.name`, `device.groups`. */
const DEVICE = 'device';

/** What is known of a device, for rules that ask. */
export type DeviceFacts = { name: string; groups: readonly string[] };

/** The rules that hold at a place. */
export type PlacedRules = {
  deviceType: string;
  /** The node's own; null when it has none. */
  specId: string | null;
  /** The root's first. */
  inheritedSpecIds: readonly string[];
  /** Whether the rules differ from device to device. */
  readsDevice: boolean;
  /** The program for a device; the same for all of them unless the rules ask for the device. */
  programFor: (device: DeviceFacts) => ProgramSource;
};

/** The rules of a place, or why there are none. */
export type Rules = PlacedRules | { error: string };

/**
 * The rules of places, as they are now: a handful of statements, however many places there are. What is not there any
 * more is an outcome, told by its name, and no refusal.
 */
export async function rulesAt(db: Database, places: readonly Place[]): Promise<Rules[]> {
  const versions = await versionsOf(db, places);
  const found = places.map((place) => {
    const version = versions.get(keyOf(place));
    const placed = version && findNode(version.root, place.nodePath);
    return placed && { version, placed };
  });
  const ids = found.flatMap(
    (one) => one?.placed.line.flatMap(({ attributes }) => attributes?.configId ?? []) ?? [],
  );
  const [stored, parsers] = await Promise.all([
    findAll(db, specs, sql`${specs.id} = any(${textArray([...new Set(ids)])})`),
    parserSourcesFor(
      db,
      [...versions.values()].map(({ deviceType }) => deviceType),
    ),
  ]);
  const byId = new Map(stored.map((spec) => [spec.id, spec]));
  return places.map((place, at): Rules => {
    const one = found[at];
    if (!one)
      return { error: `node ${place.nodePath} of version ${place.version} of its tree does not exist` };
    const { version, placed } = one;
    const parser = parsers.get(version.deviceType);
    if (!parser) return { error: `no parser has the name ${version.deviceType}` };
    const path = placed.line.map(({ name }) => name);
    const sources = placed.line.flatMap(({ attributes }, depth): Sourced[] => {
      const spec = byId.get(attributes?.configId ?? '');
      if (!spec) return [];
      const { template, lines } = spec.doc;
      const nodePath = path.slice(0, depth + 1).join('/');
      return [
        {
          id: spec.id,
          nodePath,
          template,
          lines,
          rev: spec.rev,
          reads: readsOf(spec.id, spec.rev, spec.doc),
        },
      ];
    });
    const own = placed.node.attributes?.configId;
    return rulesOf(sources, own && byId.has(own) ? own : null, {
      deviceType: version.deviceType,
      parser,
      variables: variablesAt(version.variables, placed.line, place.variables),
    });
  });
}

type Sourced = SpecSource & { rev: number; reads: ReadonlySet<string> };
type Surroundings = { deviceType: string; parser: ParserSource; variables: Record<string, unknown> };

function rulesOf(
  sources: readonly Sourced[],
  specId: string | null,
  { deviceType, parser, variables }: Surroundings,
): PlacedRules {
  const reads = new Set(sources.flatMap((source) => [...source.reads]));
  const readsDevice = reads.has(DEVICE);
  const made = (all: Record<string, unknown>): ProgramSource => {
    const used = Object.fromEntries(
      [...reads].sort().flatMap((name) => (Object.hasOwn(all, name) ? [[name, all[name]]] : [])),
    );
    const said = sources.map(({ id, rev, nodePath }) => [id, rev, nodePath]);
    const sha256 = createHash('sha256')
      .update(
        JSON.stringify([VERDICTS, parser.template, parser.lexRules ?? null, said, Object.entries(used)]),
      )
      .digest('hex');
    return {
      sha256,
      specs: sources.map(({ id, nodePath, template, lines }) => ({
        id,
        nodePath,
        template,
        lines: isDerived({ template }) ? [] : lines,
      })),
      parser,
      variables: used,
    };
  };
  const shared = readsDevice ? undefined : made(variables);
  return {
    deviceType,
    specId,
    inheritedSpecIds: sources.map(({ id }) => id).filter((id) => id !== specId),
    readsDevice,
    programFor: (device) => shared ?? made({ ...variables, [DEVICE]: device }),
  };
}

const keyOf = ({ treeId, version }: { treeId: string; version: string }) => `${treeId}\n${version}`;

async function versionsOf(db: Database, places: readonly Place[]): Promise<Map<string, TreeVersion>> {
  const wanted = new Map(places.map((place) => [keyOf(place), place]));
  const of = (pick: (place: Place) => string) => textArray([...wanted.values()].map(pick));
  const found = await rows<{ doc: string }>(
    db,
    sql`select doc::text as doc from ${treeVersions} where (tree_id, version) in (
        select tree, name from unnest(${of(({ treeId }) => treeId)}, ${of(({ version }) => version)}) as asked (tree, name))`,
  );
  const versions = found.map(({ doc }) => JSON.parse(doc) as TreeVersion);
  return new Map(versions.map((version) => [keyOf(version), version]));
}

const known = new Map<string, ReadonlySet<string>>();
/** Specs of which this process remembers what they read. */
const REMEMBERED = 5000;

/** Names of the variables that a spec reads; a template that cannot be read is told where it is rendered. */
function readsOf(id: string, rev: number, spec: Pick<Spec, 'template' | 'lines'>): ReadonlySet<string> {
  const key = `${id} ${rev}`;
  const before = known.get(key);
  if (before) return before;
  const reads = isDerived(spec) ? templateReads(spec.template) : variablesIn(spec.lines);
  known.set(key, reads);
  const [oldest] = known.keys();
  if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
  return reads;
}

function templateReads(template: string): ReadonlySet<string> {
  try {
    return compileTemplate(template).reads;
  } catch (error) {
    if (!(error instanceof TemplateRefused)) throw error;
    return new Set();
  }
}
