@log class D { @log accessor n = 1 }
