import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import ts from 'typescript';

export type FunctionNode = ts.FunctionDeclaration | ts.ArrowFunction | ts.FunctionExpression;

/** A function that a module declares at its top level. */
export type DeclaredFunction = { name: string; node: FunctionNode; statement: ts.Statement; module: Module };

/** What a file declares, imports and exports. */
export type Module = {
  path: string;
  functions: Map<string, DeclaredFunction>;
  /** Names of the classes that extend another. */
  classes: Set<string>;
  /** Local name of each import from this repository: the file and the name there. */
  imports: Map<string, { path: string; name: string }>;
  /** Names that the file declares and exports. */
  exported: Set<string>;
  /** `export { name as shown } from path`, or all of a path: `*`. */
  reExports: { path: string; name: string; shown: string }[];
};

/** The folders that import paths may begin with (`imports` of package.json). */
const ALIASES: Record<string, string> = { '#db/': 'db/', '#server/': 'server/' };

/** Files of this repository, each parsed once; types are not resolved, because that takes many times as long. */
export class Modules {
  readonly #known = new Map<string, Module>();
  readonly #exports = new Map<string, ReadonlyMap<string, DeclaredFunction>>();

  at(path: string): Module {
    const known = this.#known.get(path);
    if (known) return known;
    const read = moduleOf(path, readFileSync(path, 'utf8'));
    this.#known.set(path, read);
    return read;
  }

  /** Returns the functions that a file exports, those that it re-exports among them, by the names that it gives them. */
  exportsOf(path: string): ReadonlyMap<string, DeclaredFunction> {
    const known = this.#exports.get(path);
    if (known) return known;
    const found = new Map<string, DeclaredFunction>();
    const { functions, exported, reExports } = this.at(path);
    for (const [name, one] of functions) if (exported.has(name)) found.set(name, one);
    for (const { path: from, name, shown } of reExports) {
      const others = this.exportsOf(from);
      if (name === '*') for (const [other, one] of others) found.set(other, one);
      const one = others.get(name);
      if (one) found.set(shown, one);
    }
    this.#exports.set(path, found);
    return found;
  }

  /** Returns the function that a name means in a module; undefined when it is none of this repository. */
  functionNamed(name: string, module: Module): DeclaredFunction | undefined {
    const imported = module.imports.get(name);
    return imported ? this.exportsOf(imported.path).get(imported.name) : module.functions.get(name);
  }
}

/** Parses a file. @param text content of the file */
export function moduleOf(path: string, text: string): Module {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const module: Module = {
    path,
    functions: new Map(),
    classes: new Set(),
    imports: new Map(),
    exported: new Set(),
    reExports: [],
  };
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) addImports(statement, module);
    else if (ts.isExportDeclaration(statement)) addReExports(statement, module);
    else addDeclarations(statement, module);
  }
  return module;
}

function addDeclarations(statement: ts.Statement, module: Module): void {
  const isExported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
  const add = (name: string, node?: ts.Node) => {
    if (isExported) module.exported.add(name);
    if (node && isFunction(node)) module.functions.set(name, { name, node, statement, module });
  };
  if (ts.isFunctionDeclaration(statement) && statement.name && statement.body)
    add(statement.name.text, statement);
  else if (ts.isVariableStatement(statement)) {
    for (const { name, initializer } of statement.declarationList.declarations)
      if (ts.isIdentifier(name)) add(name.text, initializer);
  } else if (ts.isClassDeclaration(statement) && statement.name) {
    add(statement.name.text);
    if (statement.heritageClauses) module.classes.add(statement.name.text);
  }
}

const isFunction = (node: ts.Node): node is FunctionNode =>
  ts.isFunctionDeclaration(node) || ts.isArrowFunction(node) || ts.isFunctionExpression(node);

function addImports(statement: ts.ImportDeclaration, module: Module): void {
  const path = fileOf(statement.moduleSpecifier, module.path);
  const bindings = statement.importClause?.namedBindings;
  if (!path || !bindings || !ts.isNamedImports(bindings)) return;
  for (const { name, propertyName } of bindings.elements)
    module.imports.set(name.text, { path, name: (propertyName ?? name).text });
}

function addReExports(statement: ts.ExportDeclaration, module: Module): void {
  const path = statement.moduleSpecifier && fileOf(statement.moduleSpecifier, module.path);
  if (!path || statement.isTypeOnly) return;
  if (!statement.exportClause) module.reExports.push({ path, name: '*', shown: '*' });
  else if (ts.isNamedExports(statement.exportClause))
    for (const { name, propertyName, isTypeOnly } of statement.exportClause.elements)
      if (!isTypeOnly) module.reExports.push({ path, name: (propertyName ?? name).text, shown: name.text });
}

/** Returns the TypeScript file of this repository that an import names; undefined for anything else. */
function fileOf(specifier: ts.Expression, from: string): string | undefined {
  const { text } = specifier as ts.StringLiteral;
  if (!text.endsWith('.ts')) return undefined;
  if (text.startsWith('.')) return normalize(join(dirname(from), text));
  const alias = Object.keys(ALIASES).find((one) => text.startsWith(one));
  return alias && text.replace(alias, String(ALIASES[alias]));
}
