import type { ProvidedMethod } from '#server/domains/integrations/index.ts';
import { ANY_TYPES, type Schema } from '../validation/schema-of-task.ts';
import type { Operation } from './operations.ts';

/**
 * How a task is treated when its process was lost (contract/engines#side-effects): pure and read are simply repeated;
 * keyed is repeated after checking whether it was done; unsafe is never repeated; wait is completed by a user, a clock or
 * other jobs, and nothing runs meanwhile.
 */
export type Effect = 'pure' | 'read' | 'keyed' | 'unsafe' | 'wait';

/** An incoming value of a task. */
export type Variable = { schema: Schema; required: boolean };

/** A task that a workflow can contain: how the canvas shows it, and its incoming and outgoing variables. */
export type TaskType = {
  name: string;
  app: string;
  canvasName: string;
  /** Heading under which the canvas shows it. */
  displayName: string;
  /** Tasks of adapter types only. */
  location?: 'Adapter';
  type: 'operation' | 'automatic' | 'manual';
  summary: string;
  description: string;
  deprecated?: true;
  /** Page on which a user completes it. */
  view?: string;
  incoming: Record<string, Variable>;
  outgoing: Record<string, Schema>;
  effect: Effect;
  /** Endpoints whose rights the acting account of the job must have; `OWN_DATA`: none. */
  requires: readonly Operation[];
  /** Only for tasks of adapter types: the method that a role must allow; it replaces the permission of a platform task. */
  provided?: ProvidedMethod;
};

/** Types of values, as the product writes them. */
export const ANY = [...ANY_TYPES];
export const NOT_NULL = ['string', 'number', 'integer', 'object', 'array', 'boolean'];
export const TEXT = 'string';
export const NUMBER = 'number';
export const COUNT = 'integer';
export const FLAG = 'boolean';
export const OBJECT = 'object';
export const LIST = 'array';

type Type = string | readonly string[];

/** Declares a result, or the schema of a value. */
export const outgoingSchema = (
  type: Type,
  description: string,
  example?: unknown,
  more: Schema = {},
): Schema => ({
  type: typeof type === 'string' ? type : [...type],
  description,
  ...more,
  ...(example !== undefined && { examples: [example] }),
});

/** Declares a required value. */
export const needs = (type: Type, description: string, example?: unknown, more: Schema = {}): Variable => ({
  schema: outgoingSchema(type, description, example, more),
  required: true,
});

/** Declares an optional value. */
export const takes = (type: Type, description: string, example?: unknown, more: Schema = {}): Variable => ({
  schema: outgoingSchema(type, description, example, more),
  required: false,
});

type TaskDefinition = Pick<
  TaskType,
  'summary' | 'description' | 'incoming' | 'outgoing' | 'effect' | 'requires'
> &
  Partial<Pick<TaskType, 'type' | 'canvasName' | 'displayName' | 'view'>>;

/** Declares a task of an application; the titles of its variables are their names. */
export const taskOf = (app: string, name: string, definition: TaskDefinition): TaskType => ({
  name,
  app,
  canvasName: name,
  displayName: app,
  type: 'automatic',
  ...definition,
  incoming: Object.fromEntries(
    Object.entries(definition.incoming).map(([title, { schema, required }]) => [
      title,
      { schema: { title, ...schema }, required },
    ]),
  ),
  outgoing: Object.fromEntries(
    Object.entries(definition.outgoing).map(([title, schema]) => [title, { title, ...schema }]),
  ),
});
