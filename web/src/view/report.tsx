import { useEffect, useRef, useState } from 'preact/hooks';

/**
 * A report inside the page, as tall as it is long. It is shown from its text, so that it opens on servers with keys
 * too; it runs no scripts, and links inside it scroll this page.
 */
export function Report({ title, html }: { readonly title: string; readonly html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(600);
  useEffect(() => {
    const measure = (): void => {
      const root = frame.current?.contentDocument?.documentElement;
      if (root) setHeight(root.offsetHeight);
    };
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, []);
  return (
    <iframe
      ref={frame}
      title={title}
      sandbox="allow-same-origin"
      srcdoc={html}
      style={{ height: `${height}px` }}
      onLoad={() => {
        const report = frame.current?.contentDocument;
        if (!report) return;
        setHeight(report.documentElement.offsetHeight);
        report.addEventListener('click', (event) => {
          const link = (event.target as Element).closest('a');
          const target = link?.getAttribute('href') ?? '';
          if (!target.startsWith('#')) return;
          event.preventDefault();
          report.getElementById(target.slice(1))?.scrollIntoView({ behavior: 'smooth' });
        });
      }}
    />
  );
}
