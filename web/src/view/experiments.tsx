import { useEffect, useState } from 'preact/hooks';
import type { ExperimentsAnswer } from '../model/answer.js';
import type { Address } from '../model/address.js';
import { getJson, getText, type ClientProblem } from '../state/client.js';
import type { Navigate } from '../state/use-address.js';
import { Notice } from './notice.js';
import { Report } from './report.js';

interface Props {
  readonly address: Address;
  readonly navigate: Navigate;
}

/** The reports of `bert-qe experiment`. */
export function Experiments({ address, navigate }: Props) {
  const [experiments, setExperiments] = useState<ExperimentsAnswer['experiments']>();
  const [html, setHtml] = useState<{ readonly name: string; readonly text: string }>();
  const [problem, setProblem] = useState<ClientProblem>();
  useEffect(() => {
    getJson<ExperimentsAnswer>('experiments').then(
      (answer) => setExperiments(answer.experiments),
      (error: ClientProblem) => setProblem(error),
    );
  }, []);
  const opened = experiments?.find(({ name }) => name === address.experiment) ?? experiments?.[0];
  useEffect(() => {
    if (!opened) return;
    getText(opened.report.replace(/^\//, '')).then(
      (text) => setHtml({ name: opened.name, text }),
      (error: ClientProblem) => setProblem(error),
    );
  }, [opened]);

  if (problem) return <Notice title="The reports cannot be read">{problem.message}</Notice>;
  if (!experiments) return null;
  if (!opened) {
    return (
      <section class="notice">
        <h2>No experiments yet</h2>
        <p>
          An experiment compares variants over a whole collection, with cross-validation, significance tests,
          tables and figures. When one has finished, its report is here.
        </p>
        <pre>
          <code>{'bert-qe experiment study.yaml\nbert-qe serve --experiments results'}</code>
        </pre>
      </section>
    );
  }
  return (
    <div class="experiments">
      <nav aria-label="Experiments">
        <h1>Experiments</h1>
        <ul>
          {experiments.map(({ name, title, finished }) => (
            <li key={name}>
              <a
                href={`?view=experiments&experiment=${encodeURIComponent(name)}`}
                aria-current={name === opened.name ? 'page' : undefined}
                onClick={(event) => {
                  event.preventDefault();
                  navigate({ experiment: name });
                }}
              >
                <b>{title}</b>
                <small>
                  {name}, <time dateTime={finished}>{new Date(finished).toLocaleDateString()}</time>
                </small>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <section class="report" aria-label={opened.title}>
        <p class="report-links">
          <a href={opened.report.replace(/^\//, '')} target="_blank" rel="noreferrer">
            In a window of its own
          </a>
        </p>
        {html?.name === opened.name && <Report title={opened.title} html={html.text} />}
      </section>
    </div>
  );
}
