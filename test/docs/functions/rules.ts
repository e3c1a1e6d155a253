import ts from 'typescript';
import type { ErrorSources } from './errors.ts';
import type { DeclaredFunction, FunctionNode } from './modules.ts';

/** General types, which do not say what a value is for; the declaration of a named type says it. */
const PLAIN_TYPE =
  /^(string|number|boolean|bigint|unknown|any|object|void|null|undefined|Buffer|Uint8Array|Json\w*|Record|Map|Set|ReadonlyMap|ReadonlySet|Array|ReadonlyArray|Promise|Iterable|AsyncIterable)$/;

/** Types that are a named one, but for some fields. */
const PART_OF = /^(Partial|Pick|Omit|Readonly)$/;

/**
 * Names that say it of a plain value: an id or a name is that of the document that the function names; a suffix is a
 * unit; `answer`, `request` and `platform` are parts of the context that every function of a request has.
 */
const SAYING_NAME =
  /^(id|ids|name|names|username|description|url|now|start|limit|answer|request|platform)$|(Id|Ids|Name|Names|Url|Ms|Seconds|Bytes|Minutes|Days)$/;

/** What a function without a description lacks. */
export const SENTENCE = 'a sentence that says what it does';

/**
 * Returns what the documentation of a function lacks (docs/decisions/0144-documented-functions.md): a sentence that says
 * what it does; `@param` for a parameter whose name and type leave something open; `@returns`, unless the type or the
 * sentence says it; `@throws`, if it or a function that it calls throws an error that callers are to know.
 */
export function lacksOf(one: DeclaredFunction, errors: ErrorSources): string[] {
  const { node, statement } = one;
  const text = docOf(statement);
  const sentence = text.split(/(?:^|\s)@(?:param|returns|throws|see)\b/)[0]?.trim() ?? '';
  const has = (tag: string) => new RegExp(`@${tag}\\s+\\S`).test(text);
  const missing = [
    sentence === '' && SENTENCE,
    ...unexplained(node, text, sentence).map((name) => `@param ${name}`),
    !saysResult(node, sentence) && !has('returns') && '@returns',
    errors.thrownBy(one) && !has('throws') && '@throws',
    ...staleParams(node, text).map((name) => `the parameter ${name}, which @param describes`),
  ];
  return missing.filter((lack) => lack !== false);
}

/** Returns the text of a JSDoc comment without its asterisks; "" without one. */
function docOf(statement: ts.Statement): string {
  const source = statement.getSourceFile().text;
  const comment = ts
    .getLeadingCommentRanges(source, statement.pos)
    ?.map(({ pos, end }) => source.slice(pos, end))
    .findLast((one) => one.startsWith('/**'));
  return (comment ?? '').replace(/^\/\*\*|\*\/$/g, '').replace(/^\s*\* ?/gm, '');
}

/** Returns the names of parameters that leave something open and that neither `@param` nor the sentence explains. */
function unexplained({ parameters }: FunctionNode, text: string, sentence: string): string[] {
  const open = parameters.filter((one) => isOpen(one) && !isListQuery(one));
  return open
    .filter(({ name }) => {
      // A parameter that is taken apart has no name of its own: its fields are described.
      if (!ts.isIdentifier(name)) return !/@param\s+\w+\s+\S/.test(text);
      if (new RegExp(`@param\\s+${name.text}\\s+\\S`).test(text)) return false;
      return !sentence.includes(`\`${name.text}\``) && !(open.length === 1 && isAbout(sentence, name.text));
    })
    .map(({ name }) => name.getText());
}

/** Whether the sentence of a function of one thing names that thing: "Returns whether a path …" of `path`. */
const isAbout = (sentence: string, name: string): boolean =>
  name !== 'from' && new RegExp(`\\b${name}s?\\b`).test(sentence);

/** Whether a parameter is the query of a list as it was sent, which `readList` validates: it is the same everywhere. */
const isListQuery = ({ name, type }: ts.ParameterDeclaration): boolean =>
  /^(query|options)$/.test(name.getText()) &&
  /^(object|Record<string, unknown>|Readonly<Record<string, unknown>>)$/.test(type?.getText() ?? '');

/** Whether the name and the type of a parameter, or of a field, leave open what it is. */
function isOpen(one: ts.ParameterDeclaration | ts.PropertySignature): boolean {
  const { name, type } = one;
  if (!type) return ts.isParameter(one) && one.initializer !== undefined;
  return isPlain(type) && !(ts.isIdentifier(name) && SAYING_NAME.test(name.text));
}

function isPlain(type: ts.TypeNode): boolean {
  if (ts.isTypeReferenceNode(type)) {
    const [whole] = type.typeArguments ?? [];
    if (whole && PART_OF.test(type.typeName.getText())) return isPlain(whole);
    return PLAIN_TYPE.test(type.typeName.getText());
  }
  if (ts.isArrayTypeNode(type)) return isPlain(type.elementType);
  if (ts.isParenthesizedTypeNode(type)) return isPlain(type.type);
  if (ts.isTypeOperatorNode(type)) return type.operator !== ts.SyntaxKind.KeyOfKeyword && isPlain(type.type);
  if (ts.isUnionTypeNode(type))
    return type.types.some((part) => !['undefined', 'null'].includes(part.getText()) && isPlain(part));
  if (ts.isIntersectionTypeNode(type)) return type.types.some(isPlain);
  if (ts.isTypeLiteralNode(type))
    return type.members.some((field) => !ts.isPropertySignature(field) || isOpen(field));
  return !ts.isLiteralTypeNode(type) && !ts.isIndexedAccessTypeNode(type);
}

/**
 * Whether the result needs no words: nothing, a named type, a condition on a type, the sentence says it, or it is the
 * answer that every change has, with `status` and `message`.
 */
function saysResult({ type, body }: FunctionNode, sentence: string): boolean {
  if (/^(Returns|Lists|Whether|Checks whether)\b|\breturns\b/.test(sentence)) return true;
  if (type) return isSayingResult(type);
  const last = body && ts.isBlock(body) ? body.statements.at(-1) : undefined;
  return last !== undefined && ts.isReturnStatement(last) && isChangeAnswer(last.expression);
}

function isSayingResult(type: ts.TypeNode): boolean {
  if (ts.isTypePredicateNode(type)) return true;
  if (/^(void|never|Promise<(void|never)>)$/.test(type.getText())) return true;
  if (!ts.isTypeReferenceNode(type)) return false;
  const [inner] = type.typeArguments ?? [];
  const isWrapper = /^(Promise|JsonText|Readonly)$/.test(type.typeName.getText());
  return isWrapper ? inner !== undefined && isSayingResult(inner) : !isPlain(type);
}

const isChangeAnswer = (value: ts.Expression | undefined): boolean =>
  value !== undefined &&
  ts.isObjectLiteralExpression(value) &&
  ['status', 'message'].every((name) => value.properties.some((one) => one.name?.getText() === name));

/** Returns the names that `@param` describes and the function does not have. */
function staleParams({ parameters }: FunctionNode, text: string): string[] {
  const known = parameters.map(({ name }) => name.getText());
  if (known.some((name) => !/^\w+$/.test(name))) return [];
  return [...text.matchAll(/@param\s+(\w+)/g)]
    .map(([, name = '']) => name)
    .filter((name) => !known.includes(name));
}
