import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig, type HtmlTagDescriptor, type Plugin } from 'vite';

/** The oldest browsers that the console supports (docs/console.md): syntax and styles that one of them lacks are translated. */
export const OLDEST_BROWSERS = ['chrome117', 'edge117', 'firefox124', 'safari17.4'];

/** The entry requests data and then imports this module, which draws the console. */
const CONSOLE = fileURLToPath(new URL('src/app/console.tsx', import.meta.url));

const link = (rel: string, file: string): HtmlTagDescriptor => ({
  tag: 'link',
  attrs: { rel, crossorigin: true, href: `/console/${file}` },
  injectTo: 'head',
});

/** Lets the browser load the console together with the entry, and not only once the entry runs. */
const preloadConsole: Plugin = {
  name: 'preload-console',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle = {} }) =>
      Object.values(bundle)
        .filter((file) => file.type === 'chunk')
        .filter(({ moduleIds }) => moduleIds.includes(CONSOLE))
        .flatMap(({ fileName, viteMetadata }) => [
          link('modulepreload', fileName),
          ...[...(viteMetadata?.importedCss ?? [])].map((css) => link('stylesheet', css)),
        ]),
  },
};

/** Draws every text through a module of the console, also those of the libraries. */
const JSX = fileURLToPath(new URL('src/ui/jsx-runtime.ts', import.meta.url));
const visibleTexts: Plugin = {
  name: 'visible-texts',
  enforce: 'pre',
  resolveId: (source, importer) => (source === 'react/jsx-runtime' && importer !== JSX ? JSX : undefined),
};

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  plugins: [visibleTexts, react(), preloadConsole],
  resolve: { alias: { '~': fileURLToPath(new URL('src', import.meta.url)) } },
  build: {
    target: OLDEST_BROWSERS,
    // No asset is inlined: the content security policy allows no data: URLs but for images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Few files, because a file each for what pages share would be twenty requests: what requests the first data, what draws the
    // first page, and what dialogs and menus need.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'entry', tags: ['$initial'], priority: 3 },
            { name: 'console', test: CONSOLE, priority: 2 },
            { name: 'overlays', test: /\/ui\/overlays\/(modal|menu-list)\.tsx$/, priority: 1 },
          ],
        },
      },
    },
    // test/console/size.test.ts has the budgets, compressed.
    chunkSizeWarningLimit: 2000,
  },
});
