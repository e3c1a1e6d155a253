import type { ComponentType } from '#db/schemas/project.ts';
import type { Asset } from './kinds.ts';
import { projectOf } from './scope.ts';

/** The kinds of document that name others. */
export type SourceKind = ComponentType | 'automation' | 'trigger';

/** A place in a document that names another; kind null where the place does not tell what it names. */
export type Reference = {
  kind: ComponentType | null;
  by: 'id' | 'name' | 'either';
  value: string;
  /** Where it stands, for messages: member names from the document's top. */
  path: string[];
};

/** What to write in a place that names another document; undefined leaves it. */
export type Rewrite = (reference: Reference) => string | undefined;

type Rule = { kind: ComponentType; by: Reference['by'] };

/** Task → incoming variable → what it names (design of the reference's tasks, read from its exports). */
const TASK_RULES: Record<string, Record<string, Rule>> = {
  childJob: { workflow: { kind: 'workflow', by: 'name' } },
  transformation: { tr_id: { kind: 'transformation', by: 'id' } },
  RunCommandTemplate: { template: { kind: 'mopCommandTemplate', by: 'name' } },
  RunCommandTemplateSingleCommand: { templateId: { kind: 'mopCommandTemplate', by: 'name' } },
  runAnalyticsTemplate: { analytic_template_name: { kind: 'mopAnalyticTemplate', by: 'name' } },
  runAnalyticsTemplateDevices: { analytic_template_name: { kind: 'mopAnalyticTemplate', by: 'name' } },
  renderJinjaTemplate: { name: { kind: 'template', by: 'name' } },
  applyTemplate: { name: { kind: 'template', by: 'name' } },
  parseTemplate: { name: { kind: 'template', by: 'name' } },
  ShowJSONForm: { formId: { kind: 'jsonForm', by: 'either' } },
};

/** Members of documents that are no workflows and name others. */
const MEMBER_RULES: Partial<Record<SourceKind, Record<string, Rule>>> = {
  automation: { componentId: { kind: 'workflow', by: 'id' } },
  trigger: {
    formId: { kind: 'jsonForm', by: 'either' },
    jst: { kind: 'transformation', by: 'id' },
  },
};

/** Every place in a document that names another, each distinct target once a place. */
export function referencesIn(kind: SourceKind, doc: Asset): Reference[] {
  const found: Reference[] = [];
  rewritten(kind, doc, (reference) => {
    found.push(reference);
    return undefined;
  });
  return found;
}

/**
 * The document with other names or ids in the places that name others. Nothing is written over: what does not change is
 * shared with the document given.
 */
export function rewritten<Doc extends Asset>(kind: SourceKind, doc: Doc, rewrite: Rewrite): Doc {
  const rules = MEMBER_RULES[kind] ?? {};
  let next = doc;
  for (const [member, rule] of Object.entries(rules)) {
    next = withMember(next, member, known(rule, [member], rewrite));
  }
  if (kind !== 'workflow') return next;
  next = withMember(next, 'tasks', (tasks) =>
    mapMembers(tasks, (task, id) => rewrittenTask(task, ['tasks', id], rewrite)),
  );
  return withMember(next, 'errorHandler', (handler) =>
    isObject(handler) && handler.type === 'workflow'
      ? withMember(
          handler,
          'name',
          known({ kind: 'workflow', by: 'name' }, ['errorHandler', 'name'], rewrite),
        )
      : handler,
  );
}

function rewrittenTask(task: unknown, path: string[], rewrite: Rewrite): unknown {
  if (!isObject(task)) return task;
  const rules = TASK_RULES[String(task.name)] ?? {};
  return withMember(task, 'variables', (variables) =>
    isObject(variables)
      ? withMember(variables, 'incoming', (incoming) =>
          mapMembers(incoming, (value, member) => {
            const at = [...path, 'variables', 'incoming', member];
            const rule = Object.hasOwn(rules, member) ? rules[member] : undefined;
            return rule && typeof value === 'string'
              ? known(rule, at, rewrite)(value)
              : rewrittenNames(value, at, rewrite);
          }),
        )
      : variables,
  );
}

const known =
  (rule: Rule, path: string[], rewrite: Rewrite) =>
  (value: unknown): unknown => {
    if (typeof value !== 'string' || value === '' || value.startsWith('$var.')) return value;
    return rewrite({ ...rule, value, path }) ?? value;
  };

/** Deepest place that is looked into for names: requests are no deeper (server/sound.ts). */
const DEEPEST = 200;

/** Values that are a project-scoped name, wherever they stand: nothing else looks like one. */
function rewrittenNames(value: unknown, path: string[], rewrite: Rewrite): unknown {
  if (typeof value === 'string') {
    if (projectOf(value) === null) return value;
    return rewrite({ kind: null, by: 'name', value, path }) ?? value;
  }
  if (path.length > DEEPEST) return value;
  if (Array.isArray(value)) {
    const next = value.map((one, at) => rewrittenNames(one, [...path, String(at)], rewrite));
    return next.some((one, at) => one !== value[at]) ? next : value;
  }
  return mapMembers(value, (one, member) => rewrittenNames(one, [...path, member], rewrite));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function withMember<Doc extends Record<string, unknown>>(
  doc: Doc,
  member: string,
  change: (value: unknown) => unknown,
): Doc {
  if (!Object.hasOwn(doc, member)) return doc;
  const value = change(doc[member]);
  return value === doc[member] ? doc : { ...doc, [member]: value };
}

/** The object with other values of its members; one copy however many change, none when nothing does. */
function mapMembers(value: unknown, change: (one: unknown, member: string) => unknown): unknown {
  if (!isObject(value)) return value;
  let next: Record<string, unknown> | undefined;
  for (const member of Object.keys(value)) {
    const one = change(value[member], member);
    if (one === value[member]) continue;
    next ??= { ...value };
    next[member] = one;
  }
  return next ?? value;
}
