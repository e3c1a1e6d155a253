import { or, sql } from 'drizzle-orm';
import { mayRead } from '#db/access.ts';
import { type Database, rows } from '#db/client.ts';
import { readable } from '#db/document-kinds/readable.ts';
import { isOneOf } from '#db/expressions.ts';
import type { Gbac } from '#db/schemas/primitives.ts';
import type { ExportedGbac } from '#db/schemas/workflow/automation.ts';
import type { ImportedTrigger, Trigger } from '#db/schemas/workflow/trigger.ts';
import { forms, transformations, workflows } from '#db/tables/assets/assets.ts';
import { compliancePlans } from '#db/tables/golden-config/plans.ts';
import { groups } from '#db/tables/identity/accounts.ts';
import { assertMayUse, type ComponentUse } from '#server/domains/assets/index.ts';
import type { ReadContext } from '#server/kernel/contexts.ts';
import { allOf } from '#server/kernel/documents/documents.service.ts';
import { invalidRequest, unprocessable } from '#server/kernel/errors.ts';
import { referencesOf } from '../triggers/trigger-documents.ts';
import { type Component, componentTypeOf, type NamedGroup } from './automation-documents.ts';

type ComponentRequest = {
  componentType?: Parameters<typeof componentTypeOf>[0];
  componentId?: string | null | undefined;
  componentName?: string | null | undefined;
};

/**
 * Finds the workflow or compliance plan that an automation starts, by its id, else by its name, if the caller may see it;
 * locks it against deletion until the transaction ends.
 *
 * @returns null when it is unknown; both fields null when none was named
 * @throws ServiceError FORBIDDEN for a workflow of a project that does not let the caller execute
 */
export async function findComponent(ctx: ReadContext, request: ComponentRequest): Promise<Component | null> {
  const { db, principal } = ctx;
  const { componentId, componentName } = request;
  if (!componentId && !componentName) return { componentId: null, componentName: null };
  const isPlan = componentTypeOf(request.componentType) === 'ucm_compliance_plans';
  const table = isPlan ? compliancePlans : workflows;
  const may = isPlan ? mayRead(compliancePlans, principal) : readable('workflow', principal);
  for (const [column, value] of [
    [table.id, componentId],
    [table.name, componentName],
  ] as const) {
    if (!value) continue;
    const [found] = await rows<{ id: string; name: string }>(
      db,
      sql`select id, name from ${table} where ${allOf(sql`${column} = ${value}`, may)} for key share`,
    );
    if (!found) continue;
    if (!isPlan) await assertMayUse(ctx, [{ kind: 'workflow', by: 'id', value: found.id }]);
    return { componentId: found.id, componentName: found.name };
  }
  return null;
}

/**
 * Denies binding another automation to this one's workflow to a caller who may not run that workflow.
 *
 * @throws ServiceError NOT_FOUND for a workflow that the caller may not even read; FORBIDDEN
 */
export const assertMayBind = (
  ctx: ReadContext,
  { componentType, componentId, componentName }: ComponentRequest,
): Promise<void> =>
  assertMayUse(
    ctx,
    componentTypeOf(componentType) === 'workflows'
      ? useOf('workflow', componentId ? 'id' : 'name', componentId || componentName)
      : [],
  );

/** Denies a trigger whose form or transformation the caller may not use. @throws ServiceError NOT_FOUND, FORBIDDEN */
export async function assertMayUseReferences(
  ctx: ReadContext,
  trigger: ImportedTrigger | Trigger,
): Promise<void> {
  const { formId, jst } = referencesOf(trigger);
  await assertMayUse(ctx, [...useOf('jsonForm', 'either', formId), ...useOf('transformation', 'id', jst)]);
}

const useOf = (
  kind: ComponentUse['kind'],
  by: ComponentUse['by'],
  value: string | null | undefined,
): ComponentUse[] => (value ? [{ kind, by, value }] : []);

/** Returns the name of a component for an error message. */
export const componentIn = ({ componentType, componentId, componentName }: ComponentRequest): string =>
  `${componentTypeOf(componentType) === 'workflows' ? 'Workflow' : 'Compliance plan'} ${componentId || componentName}`;

/**
 * Rejects a trigger whose form or transformation is missing or hidden from the caller; existing ones are locked against
 * deletion until the transaction ends.
 *
 * @throws ServiceError UNPROCESSABLE_CONTENT naming it; FORBIDDEN when its project does not let the caller execute
 */
export async function assertReferences(ctx: ReadContext, trigger: ImportedTrigger | Trigger): Promise<void> {
  const [missing] = await missingReferences(ctx, trigger);
  if (missing) throw unprocessable(`${missing}, which trigger ${trigger.name} references, does not exist`);
}

/**
 * Returns the form and the transformation of a trigger, worded for a message, if they are missing or hidden from the
 * caller; existing ones are locked against deletion until the transaction ends.
 *
 * @throws ServiceError FORBIDDEN when the project of an existing one does not let the caller execute
 */
export async function missingReferences(
  ctx: ReadContext,
  trigger: ImportedTrigger | Trigger,
): Promise<string[]> {
  const { db, principal } = ctx;
  const { formId, jst } = referencesOf(trigger);
  const named = [
    ['JSON form', forms, sql`(id = ${formId} or name = ${formId})`, readable('jsonForm', principal), formId],
    ['Transformation', transformations, sql`id = ${jst}`, readable('transformation', principal), jst],
  ] as const;
  const missing: string[] = [];
  for (const [what, table, condition, may, value] of named) {
    if (!value) continue;
    const [found] = await rows(db, sql`select from ${table} where ${allOf(condition, may)} for key share`);
    if (!found) missing.push(`${what} ${value.slice(0, 100)}`);
  }
  if (missing.length === 0) await assertMayUseReferences(ctx, trigger);
  return missing;
}

/** Returns groups by id, as exports name them; unknown ids are omitted. */
export async function namedGroups(db: Database, lists: readonly (Gbac | undefined)[]) {
  const ids = [...new Set(lists.flatMap((gbac) => [...(gbac?.read ?? []), ...(gbac?.write ?? [])]))];
  if (ids.length === 0) return new Map<string, NamedGroup>();
  const { id, name, provenance } = groups;
  const description = sql<string>`coalesce(${groups.doc} ->> 'description', '')`;
  const found = await db.select({ id, name, provenance, description }).from(groups).where(isOneOf(id, ids));
  return new Map(found.map(({ id: group, ...named }): [string, NamedGroup] => [group, named]));
}

/**
 * Converts an access list that names groups by id, or by name and provenance, to ids; the groups are locked against
 * deletion until the transaction ends.
 *
 * @param path path of the list in the request
 * @throws ServiceError BAD_REQUEST naming every unknown group: none is dropped (contract/lifecycle#6.1)
 */
export async function knownGbac(db: Database, gbac: ExportedGbac, path: (string | number)[]): Promise<Gbac> {
  const groupKeys = [...(gbac.read ?? []), ...(gbac.write ?? [])].map(keysOf);
  const [ids, names] = [groupKeys.map(({ id }) => id), groupKeys.map(({ name }) => name)];
  const found = await db
    .select({ id: groups.id, name: groups.name, provenance: groups.provenance })
    .from(groups)
    .where(or(isOneOf(groups.id, ids), isOneOf(groups.name, names)))
    .orderBy(groups.id)
    .for('key share');
  const idOf = (entry: Group) => {
    const { id, name, provenance } = keysOf(entry);
    const hit =
      found.find((group) => id !== '' && group.id === id) ??
      found.find((group) => name !== '' && group.name === name && group.provenance === provenance);
    return hit?.id;
  };
  const issues = (['read', 'write'] as const).flatMap((list) =>
    (gbac[list] ?? []).flatMap((entry, at) =>
      idOf(entry) === undefined
        ? [
            {
              path: [...path, list, at],
              message: `Group ${calledIn(entry)} does not exist`,
              code: 'unknown_group',
            },
          ]
        : [],
    ),
  );
  if (issues.length > 0) throw invalidRequest(issues);
  const idsOf = (entries: readonly Group[] | undefined) => [
    ...new Set((entries ?? []).flatMap((entry) => idOf(entry) ?? [])),
  ];
  return { ...gbac, read: idsOf(gbac.read), write: idsOf(gbac.write) };
}

type Group = NonNullable<ExportedGbac['read']>[number];

function keysOf(entry: Group): { id: string; name: string; provenance: string } {
  if (typeof entry === 'string') return { id: entry, name: '', provenance: '' };
  const { _id, name = '', provenance = 'local' } = entry;
  return { id: typeof _id === 'string' ? _id : '', name, provenance };
}

const calledIn = (entry: Group): string => {
  const { id, name } = keysOf(entry);
  return (name || id).slice(0, 100);
};
