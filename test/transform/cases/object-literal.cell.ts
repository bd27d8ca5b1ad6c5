{ a: 1 as number, b: [2] }
