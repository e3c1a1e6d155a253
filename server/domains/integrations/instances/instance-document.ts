import type { Adapter } from '#db/schemas/network/adapter.ts';
import { type Issue, invalidRequest } from '#server/kernel/errors.ts';
import { isObject, type JsonObject, textOrEmpty } from '#server/kernel/json/objects.ts';
import type { Path } from '#server/kernel/secrets/redact.ts';

/** An integration as clients send it: the document in `properties`, or its fields at the top. */
export type SentIntegration = JsonObject & { properties?: unknown };

/** A sent integration in one form, and how a path in its document is written in the request. */
export type TakenIntegration = { document: Adapter; inRequest: (path: Path) => Path };

/**
 * Returns the document of an integration as a client sent it. Null and `model: ""` are absent; the id is the name, and
 * the type follows from the model where it is absent.
 *
 * @param modelNameOf returns the `model` of a type, and `versionIdIn` the type of a `model`
 * @throws ServiceError BAD_REQUEST when there is no name or no type
 */
export function takenIntegration(
  sent: SentIntegration,
  {
    modelNameOf,
    versionIdIn,
  }: { modelNameOf: (type: string) => string; versionIdIn: (model: string) => string },
): TakenIntegration {
  // Two clients send the fields of the document at the top, where `properties` are its settings.
  const isFlat = typeof sent.name === 'string';
  const inRequest = (path: Path): Path => (isFlat ? path : ['properties', ...path]);
  const given = present(isFlat ? sent : sent.properties);
  const settings = present(given.properties);
  const model = textOrEmpty(given.model);
  const type = textOrEmpty(settings.type) || versionIdIn(model);
  const name = textOrEmpty(given.name) || textOrEmpty(settings.id);
  const issues: Issue[] = [];
  if (!name) issues.push({ path: [...inRequest(['name'])], message: 'is missing', code: 'missing' });
  if (!type) {
    const message = 'is missing: the versionId of an integration model';
    issues.push({ path: [...inRequest(['properties', 'type'])], message, code: 'missing' });
  }
  if (issues.length > 0) throw invalidRequest(issues);
  const connection = isObject(settings.properties) ? settings.properties : {};
  return {
    inRequest,
    // The fields are checked when the document is stored.
    document: {
      ...given,
      name,
      type: 'Adapter',
      model: model || modelNameOf(type),
      properties: {
        brokers: [],
        groups: [],
        ...settings,
        id: settings.id ?? name,
        type,
        properties: connection,
      },
    } as unknown as Adapter,
  };
}

/** Returns the properties of an object that are not null; none of anything else. */
const present = (value: unknown): Record<string, unknown> =>
  isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)) : {};
