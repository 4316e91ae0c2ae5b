import { apiPage } from './api-page.js';
import { openApiDocument } from './openapi.js';

/** The description of a server's API, for programs and for people. Both are made on first use, to start sooner. */
export class ApiDescription {
  #openApi: string | undefined;
  #page: string | undefined;

  constructor(
    private readonly version: string,
    private readonly needsKey: boolean,
  ) {}

  get openApi(): string {
    return (this.#openApi ??= JSON.stringify(openApiDocument(this.version, this.needsKey)));
  }

  get page(): string {
    return (this.#page ??= apiPage(this.version, this.needsKey));
  }
}
