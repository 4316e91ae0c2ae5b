import { render } from 'preact';
import { App } from './view/app.js';
import './style/tokens.css';
import './style/base.css';
import './style/search.css';
import './style/pipeline.css';
import './style/ranking.css';
import './style/side.css';
import './style/document.css';
import './style/states.css';

render(<App />, document.getElementById('app')!);
