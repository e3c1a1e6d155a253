import type { ReferenceRule } from '#db/document-kinds/definition.ts';
import { DOCUMENT_KINDS, type SourceKind } from '#db/document-kinds/kinds.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import { isObject, ownField } from '#server/kernel/json/objects.ts';
import type { Asset } from './kinds.ts';
import { projectOf } from './scope.ts';

/** A reference to another document; `kind` is null where its position does not determine the kind. */
export type Reference = {
  kind: ComponentType | null;
  by: ReferenceRule['by'];
  value: string;
  /** The path in the document, for messages: field names from the top. */
  path: string[];
};

/** Returns the new value of a reference; undefined leaves it unchanged. */
export type Rewrite = (reference: Reference) => string | undefined;

/** The references among the incoming variables, by task (design of the reference's tasks, read from its exports). */
const TASK_RULES: Record<string, Record<string, ReferenceRule>> = {
  childJob: {
    workflow: { kind: 'workflow', by: 'name' },
    transformation: { kind: 'transformation', by: 'id' },
  },
  transformation: { tr_id: { kind: 'transformation', by: 'id' } },
  RunCommandTemplate: { template: { kind: 'mopCommandTemplate', by: 'name' } },
  RunCommandTemplateSingleCommand: { templateId: { kind: 'mopCommandTemplate', by: 'name' } },
  runAnalyticsTemplate: { analytic_template_name: { kind: 'mopAnalyticTemplate', by: 'name' } },
  runAnalyticsTemplateDevices: { analytic_template_name: { kind: 'mopAnalyticTemplate', by: 'name' } },
  listATemplate: { name: { kind: 'mopCommandTemplate', by: 'name' } },
  listAnAnalyticTemplate: { name: { kind: 'mopAnalyticTemplate', by: 'name' } },
  renderJinjaTemplate: { name: { kind: 'template', by: 'name' } },
  applyTemplate: { name: { kind: 'template', by: 'name' } },
  parseTemplate: { name: { kind: 'template', by: 'name' } },
  ShowJSONForm: { formId: { kind: 'jsonForm', by: 'either' } },
  ShowJsonForm: { formId: { kind: 'jsonForm', by: 'either' } },
};

/** Tasks that return a component as data, for which read access suffices. */
const READING_TASKS: ReadonlySet<string> = new Set(['listATemplate', 'listAnAnalyticTemplate']);

/** A component that a task, an automation or a trigger uses. */
export type ComponentUse = Pick<Reference, 'by' | 'value'> & { kind: ComponentType };

/** A component that a task uses, with the incoming variable that names it. */
type TaskUse = ComponentUse & { variable: string };

/**
 * Returns the components that a task uses, according to its incoming values.
 *
 * @param task name of the task
 * @param incoming the values, with those of the job filled in
 */
export function usesOf(task: string, incoming: Readonly<Record<string, unknown>>): TaskUse[] {
  if (!Object.hasOwn(TASK_RULES, task) || READING_TASKS.has(task)) return [];
  return Object.entries(TASK_RULES[task] ?? {}).flatMap(([variable, rule]) => {
    const value = ownField(incoming, variable);
    return typeof value === 'string' && value !== '' ? [{ ...rule, value, variable }] : [];
  });
}

/** Returns every reference in a document to another, each distinct target once per position. */
export function referencesIn(kind: SourceKind, doc: Asset): Reference[] {
  const found: Reference[] = [];
  withRewrittenReferences(kind, doc, (reference) => {
    found.push(reference);
    return undefined;
  });
  return found;
}

/** Returns the rewrite that follows an asset to its new id, name or both. */
export const renameOf =
  (kind: ComponentType, from: { id: string; name: string }, to: { id: string; name: string }): Rewrite =>
  ({ kind: named, by, value }) => {
    if (named !== null && named !== kind) return undefined;
    if (by !== 'name' && value === from.id) return to.id;
    return by !== 'id' && value === from.name ? to.name : undefined;
  };

/** Top-level fields that identify the document itself, or are derived from its references. */
const OWN_FIELDS = new Set(['_id', 'id', 'name', 'namespace', 'componentName']);

/**
 * Returns the document with rewritten references: those that the rules know, and every value that is exactly a
 * project-scoped name. The input is not modified: unchanged parts are shared with it.
 */
export function withRewrittenReferences<Doc extends Asset>(
  kind: SourceKind,
  doc: Doc,
  rewrite: Rewrite,
): Doc {
  const rules = DOCUMENT_KINDS[kind].references ?? {};
  let next = doc;
  for (const field of Object.keys(doc)) {
    if (OWN_FIELDS.has(field)) continue;
    next = withChangedField(next, field, (value) => {
      if (Object.hasOwn(rules, field)) return byRule(rules[field], value, [field], rewrite);
      if (kind === 'workflow' && field === 'tasks') {
        return mapFields(value, (task, id) => rewrittenTask(task, ['tasks', id], rewrite));
      }
      if (kind === 'workflow' && field === 'errorHandler') return rewrittenHandler(value, rewrite);
      return rewrittenNames(value, [field], rewrite);
    });
  }
  return next;
}

const rewrittenHandler = (handler: unknown, rewrite: Rewrite) =>
  isObject(handler) && handler.type === 'workflow'
    ? withChangedField(handler, 'name', (name) =>
        byRule({ kind: 'workflow', by: 'name' }, name, ['errorHandler', 'name'], rewrite),
      )
    : rewrittenNames(handler, ['errorHandler'], rewrite);

function rewrittenTask(task: unknown, path: string[], rewrite: Rewrite): unknown {
  if (!isObject(task)) return rewrittenNames(task, path, rewrite);
  const name = String(task.name);
  const rules = Object.hasOwn(TASK_RULES, name) ? (TASK_RULES[name] ?? {}) : {};
  return mapFields(task, (part, field) => {
    if (field !== 'variables') return rewrittenNames(part, [...path, field], rewrite);
    return mapFields(part, (values, direction) =>
      mapFields(values, (value, variable) => {
        const at = [...path, field, direction, variable];
        const known = direction === 'incoming' && Object.hasOwn(rules, variable);
        return known ? byRule(rules[variable], value, at, rewrite) : rewrittenNames(value, at, rewrite);
      }),
    );
  });
}

/** Maximum length of a reference: names have at most 255 characters, plus a prefix and a number. */
const LONGEST = 300;

/** Rewrites a value in a known reference position; one that is computed during the run (`$var.`) is no reference. */
function byRule(rule: ReferenceRule | undefined, value: unknown, path: string[], rewrite: Rewrite): unknown {
  if (!rule || typeof value !== 'string') return rewrittenNames(value, path, rewrite);
  if (value === '' || value.length > LONGEST || value.startsWith('$var.')) return value;
  return rewrite({ ...rule, value, path }) ?? value;
}

/** Maximum depth that is searched for names: requests are no deeper (server/kernel/validation/input-sanity.ts). */
const DEEPEST = 200;

/** Rewrites values that are a project-scoped name, at any position: nothing else has that format. */
function rewrittenNames(value: unknown, path: string[], rewrite: Rewrite): unknown {
  if (typeof value === 'string') {
    if (value.length > LONGEST || projectOf(value) === null) return value;
    return rewrite({ kind: null, by: 'name', value, path }) ?? value;
  }
  if (path.length > DEEPEST) return value;
  if (Array.isArray(value)) {
    const next = value.map((one, at) => rewrittenNames(one, [...path, String(at)], rewrite));
    return next.some((one, at) => one !== value[at]) ? next : value;
  }
  return mapFields(value, (one, field) => rewrittenNames(one, [...path, field], rewrite));
}

function withChangedField<Doc extends Record<string, unknown>>(
  doc: Doc,
  field: string,
  change: (value: unknown) => unknown,
): Doc {
  if (!Object.hasOwn(doc, field)) return doc;
  const value = change(doc[field]);
  return value === doc[field] ? doc : { ...doc, [field]: value };
}

function mapFields(value: unknown, change: (one: unknown, field: string) => unknown): unknown {
  if (!isObject(value)) return value;
  let next: Record<string, unknown> | undefined;
  for (const [field, one] of Object.entries(value)) {
    const changed = change(one, field);
    if (changed === one) continue;
    // Copied once, however many fields change.
    next ??= { ...value };
    next[field] = changed;
  }
  return next ?? value;
}
