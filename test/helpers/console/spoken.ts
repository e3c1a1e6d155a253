import type { Page } from 'playwright-core';

type Node = {
  nodeId: string;
  parentId?: string;
  ignored: boolean;
  role?: { value: string };
  name?: { value: string };
};

const CONTROLS = new Set([
  'button',
  'link',
  'checkbox',
  'combobox',
  'textbox',
  'searchbox',
  'spinbutton',
  'menuitem',
]);
const CONTEXTS = new Set(['region', 'dialog', 'alertdialog', 'navigation', 'group', 'toolbar', 'search']);

/**
 * Returns what a screen reader could not tell apart or name on a page, in the browser's own accessibility tree: controls and
 * tables without a name, and buttons of the same name in the same part of the page.
 */
export async function unspeakable(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as unknown as { nodes: Node[] };
  await session.detach();
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const roleOf = ({ role }: Node) => role?.value ?? '';
  const nameOf = ({ name }: Node) => (name?.value ?? '').trim();
  const contextOf = (node: Node): string => {
    for (let at = byId.get(node.parentId ?? ''); at; at = byId.get(at.parentId ?? '')) {
      if (!at.ignored && CONTEXTS.has(roleOf(at)) && nameOf(at)) return `${roleOf(at)} ${nameOf(at)}`;
    }
    return 'the page';
  };
  const seen = new Set<string>();
  return nodes
    .filter(({ ignored }) => !ignored)
    .flatMap((node) => {
      const role = roleOf(node);
      const what = `${role} ${nameOf(node)} in ${contextOf(node)}`;
      if ((CONTROLS.has(role) || role === 'table') && nameOf(node) === '') return [`no name: ${what}`];
      if (role !== 'button') return [];
      const isAgain = seen.has(what);
      seen.add(what);
      return isAgain ? [`twice: ${what}`] : [];
    });
}
