import type { Issue } from '#server/kernel/errors.ts';
import { isObject, textOrEmpty } from '#server/kernel/json/objects.ts';
import type { CompiledModel } from '../../api-operation.ts';
import { hasControls } from './parameters.ts';

type Identity = Pick<CompiledModel, 'title' | 'version' | 'description' | 'specification'>;

/** Longest version id. */
const LONGEST = 200;

/** Returns the id of a model: title and version of its document. */
export const versionIdOf = ({ title, version }: Pick<Identity, 'title' | 'version'>) => `${title}:${version}`;

/** Returns title, version and specification of a document, or every issue that prevents its import. */
export function identityOf(document: Record<string, unknown>): { identity?: Identity; issues: Issue[] } {
  const issues: Issue[] = [];
  const say = (path: string[], message: string) => void issues.push({ path, message, code: 'custom' });
  const specification = specificationOf(document);
  if (!specification) {
    say(
      ['swagger' in document ? 'swagger' : 'openapi'],
      'must be a version that is read: swagger 2.0, openapi 3.0 or 3.1',
    );
  }
  const info = isObject(document.info) ? document.info : {};
  const [title, version] = (['title', 'version'] as const).map((name) => {
    // A version such as 4.1 is a number in YAML, and some published titles end with a blank.
    const value = (typeof info[name] === 'number' ? String(info[name]) : textOrEmpty(info[name])).trim();
    if (value === '') say(['info', name], 'is required: it is part of the id of the model');
    else if (hasControls(value)) say(['info', name], 'must hold no control characters');
    return value;
  });
  const id = versionIdOf({ title: title ?? '', version: version ?? '' });
  if (id.length > LONGEST) {
    say(['info'], `title and version must have at most ${LONGEST} characters together (got ${id.length})`);
  }
  if (/^\/|\/$/.test(id)) say(['info'], 'title and version must neither begin nor end with a slash');
  if (!specification || issues.length > 0) return { issues };
  return {
    identity: {
      title: title ?? '',
      version: version ?? '',
      description: textOrEmpty(info.description),
      specification,
    },
    issues,
  };
}

function specificationOf({
  swagger,
  openapi,
}: Record<string, unknown>): Identity['specification'] | undefined {
  // Without quotes the version is a number in YAML.
  if (swagger === '2.0' || swagger === 2) return '2.0';
  const [, release] = /^(3\.[01])\.\d+(?:-.+)?$/.exec(textOrEmpty(openapi)) ?? [];
  return release === '3.0' || release === '3.1' ? release : undefined;
}
