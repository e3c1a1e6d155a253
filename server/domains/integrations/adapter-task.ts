import type { ApiOperation, CallEffect, DocumentSchema } from './api-operation.ts';

/** A value of the task of a face, or the part of it before or after a separator. */
export type FaceArgument = { from: string; before?: string; after?: string };

/** Where the values of the operation behind the task of a face come from, by their names. */
export type FaceArguments = Readonly<Record<string, FaceArgument>>;

/** How a task of an adapter type is carried out. A job keeps it when it starts, so that a changed model changes no job. */
export type AdapterCall =
  | { provider: 'document'; model: string; operation: ApiOperation }
  | {
      provider: 'face';
      model: string;
      operation: ApiOperation;
      arguments: FaceArguments;
      constants: Readonly<Record<string, unknown>>;
      /** Name of the outgoing variable. */
      output: string;
    }
  | {
      provider: 'package';
      /** The type, which is the package's `export`. */
      package: string;
      method: string;
      /** Arguments of the method in their order, the callback excluded. */
      inputs: readonly { name: string; type: string; required: boolean }[];
      /** Name of the outgoing variable. */
      output: string;
    }
  | { provider: 'none' };

/** Where the tasks of an adapter type are carried out. */
export type AdapterProvider = AdapterCall['provider'];

/** A task of an adapter type. */
export type AdapterTask = {
  /** The adapter type: `app` and `locationType` of the task, `NetBox:4.1` or `Servicenow`. */
  type: string;
  name: string;
  /** Heading on the canvas. */
  displayName: string;
  summary: string;
  description: string;
  deprecated: boolean;
  /** Incoming values by name, `adapter_id` excluded. */
  incoming: Readonly<Record<string, { schema: DocumentSchema; required: boolean }>>;
  outgoing: Readonly<Record<string, DocumentSchema>>;
  effect: CallEffect;
  call: AdapterCall;
};
