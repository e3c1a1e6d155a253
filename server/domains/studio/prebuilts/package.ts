import type { Bundle, InstalledPrebuilt, Prebuilt } from '#db/schemas/assets/prebuilt.ts';
import type { ComponentType } from '#db/schemas/assets/project.ts';
import type { ExportedAutomation } from '#db/schemas/workflow/automation.ts';
import type { ImportedTrigger } from '#db/schemas/workflow/trigger.ts';
import { bareName } from '#server/domains/assets/index.ts';
import { grownStamp } from '#server/kernel/documents/stamps.ts';

/** An asset that a package installed. */
export type InstalledComponent = { id: string; name: string; type: string };

type Author = { account: string; now: Date };

/** Returns the package with all fields that an export has (contract/lifecycle#8). */
export const wholePackage = (given: Prebuilt): Prebuilt => ({
  ...given,
  metadata: { ...given.metadata, IAPDependencies: given.metadata.IAPDependencies ?? {} },
});

/** Returns the record of a package, as lists and reads show it (contract/lifecycle#8). */
export const installedRecord = (
  { metadata, manifest, readme }: Prebuilt,
  { id, components }: { id: string; components: readonly InstalledComponent[] },
  { account, now }: Author,
): InstalledPrebuilt => ({
  ...metadata,
  keywords: metadata.keywords ?? [],
  _id: id,
  components: [...components],
  manifest,
  readme,
  installed: now.toISOString(),
  installedBy: account,
  lastUpdated: now.toISOString(),
  lastUpdatedBy: account,
});

/** Returns the record after its package was replaced; its components and its time and author of installation stay. */
export const changedRecord = (
  stored: InstalledPrebuilt,
  changed: Prebuilt,
  maker: Author,
): InstalledPrebuilt => {
  const { installed, installedBy, components = [] } = stored;
  const next = installedRecord(
    changed,
    { id: stored._id, components: components as InstalledComponent[] },
    maker,
  );
  return {
    ...next,
    installed,
    installedBy,
    lastUpdated: grownStamp(maker.now, stored.lastUpdated),
  };
};

/** An asset of a package: its id and name in the package, and those that it has here. */
export type PlacedComponent = {
  kind: ComponentType;
  fromId: string | null;
  fromName: string;
  id: string;
  name: string;
};

/** Returns an automation of a package with its references changed to the ids and names that assets have here. */
export function follow(
  automation: ExportedAutomation,
  placed: readonly PlacedComponent[],
): ExportedAutomation {
  const ids = new Map(placed.map((one) => [`${one.kind} ${one.fromId}`, one.id]));
  const names = new Map(placed.map((one) => [`${one.kind} ${one.fromName}`, one.name]));
  const byId = (kind: ComponentType, value: unknown) =>
    typeof value === 'string' ? (ids.get(`${kind} ${value}`) ?? value) : value;
  const byEither = (kind: ComponentType, value: unknown) =>
    typeof value === 'string'
      ? (ids.get(`${kind} ${value}`) ??
        names.get(`${kind} ${value}`) ??
        names.get(`${kind} ${bareName(value)}`) ??
        value)
      : value;
  const next: Record<string, unknown> = { ...automation };
  for (const [field, find] of [
    ['componentId', byId],
    ['componentName', byEither],
  ] as const) {
    if (field in next) next[field] = find('workflow', next[field]);
  }
  if (automation.triggers) {
    next.triggers = automation.triggers.map((trigger): ImportedTrigger => {
      const followed: Record<string, unknown> = { ...trigger };
      if ('formId' in followed) followed.formId = byEither('jsonForm', followed.formId);
      if ('jst' in followed) followed.jst = byId('transformation', followed.jst);
      // Only ids and names were replaced, by ids and names.
      return followed as ImportedTrigger;
    });
  }
  return next as ExportedAutomation;
}

/** Returns a golden configuration in the format of its importer, from an export file or a single version of a tree. */
export const treeIn = ({ data = {} }: Bundle, overwrite: boolean): Record<string, unknown> =>
  Array.isArray(data.data) ? { ...data, overwrite } : { data: [data], overwrite };

/** Returns the name of a bundle, for messages. */
export function nameIn({ type, data = {} }: Bundle): string {
  const called = [data.name, data._id, data.id].find((one) => typeof one === 'string');
  return `${type} ${String(called ?? '').slice(0, 100)}`;
}
