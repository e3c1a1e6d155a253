import ts from 'typescript';
import type { DeclaredFunction, FunctionNode, Module, Modules } from './modules.ts';

/**
 * Finds which functions throw an error that callers are to know: an instance of a class of this repository. A plain
 * `Error` is a fault of the program, which nobody catches.
 */
export class ErrorSources {
  readonly #modules: Modules;
  readonly #throws = new Map<DeclaredFunction, boolean>();
  readonly #makes = new Map<DeclaredFunction, boolean>();

  constructor(modules: Modules) {
    this.#modules = modules;
  }

  /** Whether a function throws such an error, or calls a function whose body does. */
  thrownBy({ node, module }: DeclaredFunction): boolean {
    return someNode(node, (one) => {
      if (this.#isThrow(one, module)) return true;
      const called = this.#calledBy(one, module);
      return called !== undefined && this.#throwsItself(called);
    });
  }

  #throwsItself(called: DeclaredFunction): boolean {
    return remembered(this.#throws, called, ({ node, module }) =>
      someNode(node, (one) => this.#isThrow(one, module)),
    );
  }

  #isThrow(node: ts.Node, module: Module): boolean {
    return ts.isThrowStatement(node) && this.#isError(node.expression, module);
  }

  #isError(value: ts.Node, module: Module): boolean {
    if (ts.isNewExpression(value)) {
      const name = value.expression.getText();
      return module.imports.has(name) || module.classes.has(name);
    }
    if (ts.isAwaitExpression(value) || ts.isParenthesizedExpression(value))
      return this.#isError(value.expression, module);
    if (ts.isConditionalExpression(value))
      return this.#isError(value.whenTrue, module) || this.#isError(value.whenFalse, module);
    const called = this.#calledBy(value, module);
    return called !== undefined && this.#makesError(called);
  }

  /** Whether a function returns such an error, as `notFound` does. */
  #makesError(called: DeclaredFunction): boolean {
    return remembered(this.#makes, called, ({ node, module }) => {
      const { body } = node;
      if (body === undefined) return false;
      if (!ts.isBlock(body)) return this.#isError(body, module);
      return someNode(
        body,
        (one) => ts.isReturnStatement(one) && !!one.expression && this.#isError(one.expression, module),
      );
    });
  }

  #calledBy(node: ts.Node, module: Module): DeclaredFunction | undefined {
    if (!ts.isCallExpression(node) || !ts.isIdentifier(node.expression)) return undefined;
    return this.#modules.functionNamed(node.expression.text, module);
  }
}

/** Returns the known value, or finds it; a function that calls itself counts as false meanwhile. */
function remembered(
  known: Map<DeclaredFunction, boolean>,
  one: DeclaredFunction,
  find: (one: DeclaredFunction) => boolean,
): boolean {
  const value = known.get(one);
  if (value !== undefined) return value;
  known.set(one, false);
  const found = find(one);
  known.set(one, found);
  return found;
}

/**
 * Returns whether a condition holds for any node of a function whose errors its caller sees. Left out are a `try` with a
 * `catch`, and functions that only run later. A function that is passed to a call counts, unless the call is `attempt…`,
 * which turns errors into results, or registers a handler.
 */
function someNode(node: ts.Node | FunctionNode, test: (node: ts.Node) => boolean): boolean {
  if (test(node)) return true;
  const parts =
    ts.isTryStatement(node) && node.catchClause ? [node.catchClause, node.finallyBlock] : undefined;
  if (parts) return parts.some((part) => part !== undefined && someNode(part, test));
  return (
    ts.forEachChild(node, (child) => {
      if (ts.isFunctionLike(child) && !isPassedOn(child)) return undefined;
      return someNode(child, test) || undefined;
    }) ?? false
  );
}

const isPassedOn = ({ parent }: ts.Node): boolean =>
  ts.isCallExpression(parent) && !/^attempt|\.(all|get|on|once|use)$/.test(parent.expression.getText());
