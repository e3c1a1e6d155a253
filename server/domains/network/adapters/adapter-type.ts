import type { Adapter } from '#db/schemas/network/adapter.ts';
import type { Issue } from '#server/kernel/errors.ts';
import type { JsonObject } from '#server/kernel/json/objects.ts';
import type { Path } from '#server/kernel/secrets/redact.ts';
import { isModel } from './connection.ts';

/** A secret that an adapter keeps although what it was for has changed, with the names of the fields that did. */
export type MovedSecret = { path: Path; moved: readonly string[] };

/** A type of adapters besides the built-in models. A domain above this one provides it. */
export type AdapterType = {
  /** Whether its adapters are integrations, which have no process of their own. */
  virtual: boolean;
  /** The value of `model` that its adapters have. */
  model: string;
  /** Returns whether another value of `model` means this type. */
  isModel: (model: string) => boolean;
  /** Purpose of its adapters, in health. */
  description: string;
  /** The JSON schema of a connection. */
  connectionSchema: JsonObject;
  /**
   * Returns all issues of a connection, with paths relative to it.
   *
   * @param targetFault returns why an adapter may not use a host, or null
   */
  connectionIssues: (connection: JsonObject, targetFault: (host: string) => string | null) => Issue[];
  /** Paths of the fields of a connection that are secrets besides those whose names say so. */
  secretPaths?: readonly (readonly string[])[];
  /** Returns the connection of a new adapter, completed from what was sent. */
  newConnection?: (connection: JsonObject) => JsonObject;
  /** Returns the sealed secrets that a change would send elsewhere, with paths relative to the connection. */
  movedSecrets: (before: JsonObject, after: JsonObject) => MovedSecret[];
};

/** Returns whether an adapter is an integration: other systems as tasks, without a process of its own. */
export const isIntegration = ({ virtual, properties }: Adapter): boolean =>
  virtual === true && !isModel(properties.type);
