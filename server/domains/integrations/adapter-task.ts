import type { ApiOperation, CallEffect, DocumentSchema } from './api-operation.ts';

/** How the values of a face's task become those of the operation behind it: by the name of the face's value. */
export type FaceArguments = Readonly<Record<string, string>>;

/** How a task of an adapter type is carried out. A job keeps it when it starts, so that a changed model changes no job. */
export type AdapterCall =
  | { provider: 'document'; model: string; operation: ApiOperation }
  | {
      provider: 'face';
      model: string;
      operation: ApiOperation;
      arguments: FaceArguments;
      constants: Readonly<Record<string, unknown>>;
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
