import type { OperationParameter } from '../../api-operation.ts';
import { freeName } from './operation-names.ts';
import { UnusableOperation } from './references.ts';

const EXPRESSION = /\{([^{}]*)\}/g;

/**
 * Matches a path template with the path parameters of its operation. An expression without a name gets the next declared
 * parameter that no expression names; an expression that no parameter declares becomes a required text.
 *
 * @returns the template with all names filled in, its parameters, and the names of those declared in vain
 * @throws UnusableOperation when the template names a parameter twice
 */
export function matchPath(
  path: string,
  parameters: readonly OperationParameter[],
): { path: string; parameters: OperationParameter[]; unused: string[] } {
  const named = [...path.matchAll(EXPRESSION)].map(([, name = '']) => name);
  const names = named.filter((name) => name !== '');
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) throw new UnusableOperation(`its path names {${twice}} twice`);
  const declared = parameters.filter((one) => one.in === 'path').map(({ wireName }) => wireName);
  const spare = declared.filter((name) => !names.includes(name));
  const taken = new Set([...names, ...declared]);
  const filled = path.replaceAll(EXPRESSION, (whole, name: string) =>
    name === '' ? `{${spare.shift() ?? freeName('path', taken)}}` : whole,
  );
  const used = new Set([...filled.matchAll(EXPRESSION)].map(([, name = '']) => name));
  return {
    path: filled,
    parameters: [
      ...parameters.filter((one) => one.in !== 'path' || used.has(one.wireName)),
      ...[...used].filter((name) => !declared.includes(name)).map(undeclared),
    ],
    unused: declared.filter((name) => !used.has(name)),
  };
}

const undeclared = (name: string): OperationParameter => ({
  name,
  wireName: name,
  in: 'path',
  required: true,
  style: 'simple',
  explode: false,
  allowReserved: false,
  description: '',
  schema: { type: 'string' },
});
