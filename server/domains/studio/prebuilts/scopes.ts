import type { ComponentType } from '#db/schemas/assets/project.ts';
import {
  type Asset,
  bareName,
  projectOf,
  type Reference,
  withRewrittenReferences,
} from '#server/domains/assets/index.ts';

type Item = { kind: ComponentType; doc: Asset };

/**
 * Removes the project prefix in documents of a package that was made from a project: they reference each other by
 * `@<projectId>: Name`, while the files have names without it. References that no document of the package matches are
 * left unchanged.
 */
export function withoutScopes<One extends Item>(items: readonly One[]): One[] {
  const borne = new Set(items.flatMap(({ kind, doc }) => [`${kind} ${doc.name}`, `any ${doc.name}`]));
  const rewrite = ({ kind, value }: Reference): string | undefined => {
    const word = kind ?? 'any';
    if (projectOf(value) === null || borne.has(`${word} ${value}`)) return undefined;
    return borne.has(`${word} ${bareName(value)}`) ? bareName(value) : undefined;
  };
  return items.map((one) => ({ ...one, doc: withRewrittenReferences(one.kind, one.doc, rewrite) }));
}
