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
 * Documents of a package that was made from a project: there they name each other by `@<projectId>: Name`, while files
 * hold their names without it. Such a name becomes that of the document of the package which bears it; one that nothing
 * of the package bears is left.
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
