import { type SQL, sql } from 'drizzle-orm';
import { type Database, perDatabase, rows } from '#db/client.ts';
import { textArray } from '#db/list/row-expressions.ts';
import type { ConfigParser } from '#db/schemas/golden-config/config-parser.ts';
import type { Spec, SpecSection } from '#db/schemas/golden-config/config-spec.ts';
import type { TreeVersion } from '#db/schemas/golden-config/golden-tree.ts';
import { parsers, specs, treeVersions } from '#db/tables/golden-config/configurations.ts';
import { type ParserSource, sourceOf } from '../../parsers/readers.service.ts';
import { findNode } from '../../trees/tree-nodes.ts';
import { type TreeNodeTarget, variablesAt } from '../runs/run-targets.ts';
import { isDerived, type SpecSource } from './program-source.ts';
import { readsOf, type SpecReads } from './spec-reads.ts';

/** Stored rules of a spec for one platform. */
export type SectionRules = Pick<SpecSource, 'template' | 'lines' | 'ruleSet'> & {
  /** Names of the variables that they read. */
  reads: readonly string[];
};

/** The stored rules of one spec, with the revision of the spec. */
export type StoredRules = SectionRules & {
  rev: number;
  /** Rules for further platforms, by the name of their config parser. */
  sections?: Readonly<Record<string, SectionRules>>;
};

/** The variable that holds the facts about the device for rules: `device.name`, `device.groups`. */
export const DEVICE = 'device';

/** The sources of the rules at a tree node: the specs from the root down, the parser, the variables. */
export type PlacedSources = {
  deviceType: string;
  parser: ParserSource;
  /** The node's own spec; null when it has none. */
  specId: string | null;
  /** The specs from the root down to the node. */
  nodes: readonly { specId: string; nodePath: string }[];
  /** Values of the variables that the rules read. */
  variables: Readonly<Record<string, unknown>>;
  /** The parsers of the further platforms that these nodes have rules for; null: there is none of that name. */
  sections?: Readonly<Record<string, ParserSource | null>>;
};

/**
 * The sources of the rules at tree nodes at one point in time: plain data that can be stored. A missing tree node or parser
 * is an error that names it.
 */
export type RuleSources = {
  /** By the id of the spec. */
  specs: Readonly<Record<string, StoredRules>>;
  places: readonly (PlacedSources | { error: string })[];
};

const knownReadsOf = perDatabase((): SpecReads => new Map());

/** A template that is checked before it is stored in its spec. */
export type DraftTemplate = {
  specId: string;
  template: string;
  /** The section that the template replaces, and the parser of its platform; absent: the template replaces the rules for the platform of the tree. */
  section?: { name: string; parser: ParserSource };
};

/**
 * Reads the current sources of the rules at tree nodes. One statement reads trees, specs and parsers, so that a concurrent
 * write is seen entirely or not at all.
 *
 * @param draft replaces the stored template of its spec, or of a section of it
 */
export async function ruleSourcesAt(
  db: Database,
  places: readonly TreeNodeTarget[],
  draft?: DraftTemplate,
): Promise<RuleSources> {
  const found = await rows<{ kind: 'version' | 'spec' | 'parser'; rev: number; doc: string }>(
    db,
    storedAt(places),
  );
  const documents = <Doc>(kind: (typeof found)[number]['kind']) =>
    found.filter((row) => row.kind === kind).map(({ rev, doc }) => ({ rev, doc: JSON.parse(doc) as Doc }));
  const versions = new Map(documents<TreeVersion>('version').map(({ doc }) => [keyOf(doc), doc]));
  const known = knownReadsOf(db);
  const byId = new Map(
    documents<Spec>('spec').map(({ rev, doc: stored }): [string, StoredRules] => {
      const isOfDraft = draft?.specId === stored._id;
      const isDraft = isOfDraft && draft.section === undefined;
      const doc = isOfDraft ? withDraft(stored, draft) : stored;
      const { _id } = doc;
      const edition = `${_id} ${rev}`;
      const own = isDraft ? sectionRules(new Map(), _id, doc) : sectionRules(known, edition, doc);
      const sections = Object.entries(doc.sections ?? {}).map(([name, section]) => {
        const isNew = isOfDraft && draft.section?.name === name;
        return [name, sectionRules(isNew ? new Map() : known, `${edition} ${name}`, section)] as const;
      });
      return [_id, { rev, ...own, ...(sections.length > 0 && { sections: Object.fromEntries(sections) }) }];
    }),
  );
  const readBy = new Map(documents<ConfigParser>('parser').map(({ doc }) => [doc.name, doc]));
  return {
    specs: Object.fromEntries(byId),
    places: places.map((place): RuleSources['places'][number] => {
      const version = versions.get(keyOf(place));
      const placed = version && findNode(version.root, place.nodePath);
      if (!placed)
        return { error: `node ${place.nodePath} of version ${place.version} of its tree does not exist` };
      const { deviceType, variables } = version;
      const parser = sourceOf(readBy.get(deviceType), deviceType);
      if (!parser) return { error: `no parser is named ${deviceType}` };
      const path = placed.line.map(({ name }) => name);
      const own = placed.node.attributes?.configId;
      const nodes = placed.line.flatMap(({ attributes }, depth) => {
        const specId = attributes?.configId;
        if (specId === undefined || !byId.has(specId)) return [];
        return [{ specId, nodePath: path.slice(0, depth + 1).join('/') }];
      });
      const stored = nodes.flatMap(({ specId }) => byId.get(specId) ?? []);
      const sections = stored.flatMap((spec) => Object.entries(spec.sections ?? {}));
      const reads = new Set([...stored, ...sections.map(([, one]) => one)].flatMap((one) => one.reads));
      const all = Object.entries(variablesAt(variables, placed.line, place.variables));
      return {
        deviceType,
        parser,
        specId: own !== undefined && byId.has(own) ? own : null,
        nodes,
        variables: Object.fromEntries(all.filter(([name]) => reads.has(name))),
        ...(sections.length > 0 && {
          sections: Object.fromEntries(
            sections.map(([name]) => [
              name,
              (name === draft?.section?.name ? draft.section.parser : sourceOf(readBy.get(name), name)) ??
                null,
            ]),
          ),
        }),
      };
    }),
  };
}

/** Returns a spec with the draft in place of its template, or of that of one of its sections. */
function withDraft(stored: Spec, { template, section }: DraftTemplate): Spec {
  if (section === undefined) return { ...stored, template };
  const { [section.name]: before, ...others } = stored.sections ?? {};
  return { ...stored, sections: { ...others, [section.name]: { lines: [], ...before, template } } };
}

function sectionRules(
  known: SpecReads,
  edition: string,
  { template, lines = [], ruleSet }: SpecSection,
): SectionRules {
  const isRendered = isDerived({ template });
  const reads = readsOf(known, edition, { template, lines });
  return { template, lines: isRendered ? [] : lines, reads, ruleSet };
}

const keyOf = ({ treeId, version }: { treeId: string; version: string }) => JSON.stringify([treeId, version]);

/** Selects the versions of the nodes, the specs from the root to each node, and the parsers of their device types. */
function storedAt(places: readonly TreeNodeTarget[]): SQL {
  const of = (pick: (place: TreeNodeTarget) => string) => textArray(places.map(pick));
  return sql`
    with recursive asked as (
      select tree, version, string_to_array(btrim(path, '/'), '/') as names
      from unnest(${of(({ treeId }) => treeId)}, ${of(({ version }) => version)}, ${of(({ nodePath }) => nodePath)})
        as place (tree, version, path)
    ), found as (
      select id, tree_id, version, doc from ${treeVersions}
      where (tree_id, version) in (select tree, version from asked)
    ), node as (
      select found.doc -> 'root' as doc, names[2:] as names from asked
        join found on found.tree_id = asked.tree and found.version = asked.version
        where found.doc -> 'root' ->> 'name' = names[1]
      union all
      select child, names[2:] from node cross join lateral jsonb_array_elements(
          case when jsonb_typeof(node.doc -> 'children') = 'array' then node.doc -> 'children' else '[]' end) as child
        where child ->> 'name' = names[1]
    ), spec as (
      select rev, doc from ${specs} where id in (select doc -> 'attributes' ->> 'configId' from node)
    )
    select 'version' as kind, 0 as rev, doc::text as doc from found
    union all
    select 'spec', rev, doc::text from spec
    union all
    select 'parser', rev, doc::text from ${parsers}
      where name in (select doc ->> 'deviceType' from found union
        select jsonb_object_keys(doc -> 'sections') from spec where jsonb_typeof(doc -> 'sections') = 'object')`;
}
