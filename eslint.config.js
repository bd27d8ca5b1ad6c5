import tseslint from 'typescript-eslint'

export default tseslint.config(
  { ignores: ['dist/', 'node_modules/', 'test/e2e/node_modules/', 'test/transform/cases/', 'test/corpus/', 'test/examples/', '**/*.mjs', '**/*.cjs', '**/*.d.mts', '**/*.js'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: ['./tsconfig.json', './guest/tsconfig.json', './test/tsconfig.json'], tsconfigRootDir: import.meta.dirname ?? new URL('.', import.meta.url).pathname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { allowDefaultCaseForExhaustiveSwitch: false, considerDefaultExhaustiveForUnions: false }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true, allowNullish: true }],
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // Indexed access in loops over known lengths.
      '@typescript-eslint/no-non-null-assertion': 'off',
      // Types say what a builtin is at the start; cells may have changed it since.
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      '@typescript-eslint/no-invalid-void-type': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      '@typescript-eslint/prefer-promise-reject-errors': 'off',
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      '@typescript-eslint/unified-signatures': 'off',
      '@typescript-eslint/no-implied-eval': 'off',
      // Methods of builtins are kept apart from their objects on purpose: cells may replace them.
      '@typescript-eslint/unbound-method': 'off',
      'max-lines': ['warn', { max: 250, skipBlankLines: true, skipComments: true }],
    },
  },
)
