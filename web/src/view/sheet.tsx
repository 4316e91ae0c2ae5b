import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Over the page, on screens with no room beside it. The browser keeps the focus inside, and Escape closes. */
export function Sheet({
  children,
  onClose,
}: {
  readonly children: ComponentChildren;
  readonly onClose: () => void;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    document.documentElement.classList.add('has-sheet');
    return () => document.documentElement.classList.remove('has-sheet');
  }, []);
  return (
    <dialog
      ref={dialog}
      class="sheet"
      aria-label="Document"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      {children}
    </dialog>
  );
}
