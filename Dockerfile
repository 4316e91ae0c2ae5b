# The server as a small container: no root, a health check, nothing written at run time.
#
#   docker build -t bert-qe .
#   docker run --read-only -p 127.0.0.1:8080:8080 bert-qe

FROM node:24-slim AS package
WORKDIR /source
COPY . .
RUN npm ci --no-audit --no-fund
RUN npm pack --ignore-scripts=false --silent

FROM node:24-slim AS install
WORKDIR /app
ENV BERT_QE_CACHE=/app/cache
COPY --from=package /source/bert-qe-*.tgz ./
RUN npm install --ignore-scripts --omit=dev --no-audit --no-fund --no-save ./bert-qe-*.tgz
# The runtime's libraries for other systems are 270 MB.
RUN find node_modules/onnxruntime-node/bin -type f ! -path "*/linux/$(node -p process.arch)/*" -delete && rm bert-qe-*.tgz
# Converts the models once, so that the server starts without writing anything.
RUN node node_modules/bert-qe/bin/bert-qe.js rerank "a query" --documents node_modules/bert-qe/demo --depth 2 --models SST

FROM node:24-slim
WORKDIR /app
ENV NODE_ENV=production BERT_QE_CACHE=/app/cache
COPY --from=install /app ./
USER node
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["node", "-e", "fetch('http://127.0.0.1:8080/ready').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "node_modules/bert-qe/bin/bert-qe.js"]
CMD ["serve", "--host", "0.0.0.0", "--models", "SST"]
