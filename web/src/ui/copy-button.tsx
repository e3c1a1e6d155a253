import { Button } from './button.tsx';
import { showProblem, showToast } from './overlays/toast.tsx';

/**
 * Copies a text. `navigator.clipboard` exists only at addresses that the browser trusts, with TLS or on the same machine; at others
 * the text is put into the event with which a page answers the command to copy.
 *
 * @throws Error when the browser does not copy
 */
async function writeToClipboard(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  let isCopied = false;
  const answer = (event: ClipboardEvent) => {
    event.clipboardData?.setData('text/plain', text);
    event.preventDefault();
    // Neither a field nor an editor may answer as well, with what is selected in it.
    event.stopImmediatePropagation();
    isCopied = true;
  };
  window.addEventListener('copy', answer, { capture: true, once: true });
  document.execCommand('copy');
  window.removeEventListener('copy', answer, { capture: true });
  if (!isCopied) throw new Error('This browser does not let the page copy. Select the text and copy it.');
}

/**
 * Copies a text and says so; a failure is shown.
 *
 * @param what what was copied, for the message: `Copied the key`
 */
export async function copyText(text: string, what: string): Promise<void> {
  try {
    await writeToClipboard(text);
    showToast(`Copied ${what}`);
  } catch (error) {
    showProblem(error);
  }
}

type CopyButtonProps = {
  text: string;
  /** What is copied, for the message: `the key`. */
  what: string;
  /** The label of the button. */
  children: string;
  /** Its name for screen readers, where a page has several of the same label. */
  name?: string;
};

/** A button that copies a text. */
export const CopyButton = ({ text, what, children, name }: CopyButtonProps) => (
  <Button {...(name && { 'aria-label': name })} onPress={() => void copyText(text, what)}>
    {children}
  </Button>
);
