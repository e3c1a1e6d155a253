import type { ConfigParser, LexRule } from '#db/schemas/golden-config/config-parser.ts';
import type { Gbac, GbacUpdate } from '#db/schemas/primitives.ts';
import { assertConsistent } from '#server/domains/identity/index.ts';
import { wholeGbac } from '#server/kernel/documents/new-document.ts';
import { importedStamp } from '#server/kernel/documents/stamps.ts';
import type { Issue } from '#server/kernel/errors.ts';
import { issue, issuesIn } from '#server/kernel/validation/document-issues.ts';
import { BUILT_IN_PARSERS } from './built-in-parsers.ts';
import { lexRuleIssues } from './lex-rules.ts';

/** A stored parser: it has every documented field. */
export type StoredParser = ConfigParser & {
  id: string;
  _id: string;
  template: string;
  lexRules: LexRule[];
  gbac: Gbac;
  updated: string;
};

type ParserFields = {
  template?: string | undefined;
  lexRules?: LexRule[] | undefined;
  gbac?: Gbac | GbacUpdate | undefined;
};

/**
 * Returns the issues of a parser's fields in a request (contract/lifecycle#4.4).
 *
 * @param path path of the fields in the request
 */
export function parserIssues(
  { template, lexRules = [], gbac }: ParserFields,
  path: (string | number)[],
): Issue[] {
  const unknown = template !== undefined && !BUILT_IN_PARSERS.has(template);
  return [
    ...(unknown
      ? [issue([...path, 'template'], 'must be the name of a built-in parser', 'unknown_template')]
      : []),
    ...lexRuleIssues(lexRules, [...path, 'lexRules']),
    ...issuesIn(() => assertConsistent(gbac, [...path, 'gbac'])),
  ];
}

/**
 * Returns a parser as it is stored: without rules of its own it gets those of its template (contract/lifecycle#4.4). Stamps
 * of an import are kept, and so are unknown fields.
 */
export const storedParser = (
  given: ConfigParser & { template: string },
  id: string,
  now: Date,
): StoredParser => ({
  ...given,
  id,
  _id: id,
  lexRules: given.lexRules ?? [...(BUILT_IN_PARSERS.get(given.template) ?? [])],
  gbac: wholeGbac(given.gbac),
  created: importedStamp(given.created, now),
  updated: importedStamp(given.updated, now),
  builtin: false,
});
